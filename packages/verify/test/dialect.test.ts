import { expect, test } from "vitest";
import { falsify } from "../src/falsify/falsify.ts";
import { falsifySnapshots } from "../src/falsify/snapshots.ts";
import { runnerOfTestFile } from "../src/test-text.ts";

test.each([
  ['import { test } from "node:test";', "node-test"],
  ["const { expect, test } = require('vitest');", "vitest"],
  ['import test from "ava";', "ava"],
  ['const test = require("tape");', "tape"],
  ["import t from 'tap';", "tap"],
  ['import { test } from "uvu";', "uvu"],
  ["class CartTest < Minitest::Test\nend\n", "minitest"],
  ["class CartTest < ActiveSupport::TestCase\nend\n", "minitest"],
  ['@test "adds" {\n}\n', "bats"],
  ['test("adds", () => { expect(1 + 1).toBe(2); });', "jest"],
  ['const { expect } = require("chai");', "mocha"],
  ["from cart import total\n\ndef test_total():\n    assert total([]) == 0\n", "pytest"],
  [
    "import unittest\n\nclass Cart(unittest.TestCase):\n    def test_total(self): ...\n",
    "unittest",
  ],
  ["run(1);", "script"],
])("the runner of a test file behind a script: %s", (text, dialect) => {
  expect(runnerOfTestFile("script", text)).toBe(dialect);
  expect(runnerOfTestFile("mocha", text)).toBe("mocha");
});

/** A test in a file, and what that test says when it is falsified. */
function falsified(path: string, text: string) {
  const { titles, ends, text: wrong } = falsify(path, text);
  return { titles, ends: [...ends], text: wrong().replaceAll(/\bk[0-9a-f]{12}\(\d+, /g, "moved(") };
}

test.each([
  ["assert.equal(total(), 5);", "assert.equal(...moved(total(), 11, true));"],
  [
    "return t.deepEqual(\n  total(),\n  [1],\n);",
    "return t.deepEqual(\n  ...moved(total(), [1]),\n);",
  ],
  ["expect(total()).toBe(HALF)", "expect(total()).toBe(moved(HALF)[0])"],
  [
    "await expect(total()).resolves.toEqual({ a: 1 });",
    "await expect(total()).resolves.toEqual(moved({ a: 1 })[0]);",
  ],
  [
    'expect(text(")")).to.equal("half", "half");',
    'expect(text(")")).to.equal(moved("half")[0], "half");',
  ],
  ["is(total(), 5) // is(1, 2)", "is(...moved(total(), 11, true)) // is(1, 2)"],
  ["expect(total()).toBe(5.50)", "expect(total()).toBe(moved(12.00, 5.50, true)[0])"],
  ["if (!is(total(), HALF)) throw no;", null],
  ["// assert.equal(total(), HALF)", null],
  // What is no equality may hold with another value too.
  ["expect(total()).toBeLessThanOrEqual(5);", null],
  ["expect(total()).toBeGreaterThanOrEqual(5);", null],
  ["expect(total()).not.toBe(5);", null],
  ["assert.notEqual(total(), 5);", null],
])("JavaScript: the expected value is made wrong: %s", (line, wrong) => {
  const { text, titles, ends } = falsified("a.test.js", `test("total", () => {\n${line}\n});`);
  expect(text).toContain(`{\n${wrong ?? line}\n}`);
  expect([titles, ends]).toEqual(wrong === null ? [[], []] : [["total"], ["total"]]);
});

test.each([
  ["assert total() == 5", "assert (lambda p: p[0] == p[1])(moved(total(), 11, True))"],
  [
    "assert (\n        total()\n        == HALF\n    ), 'a == b'",
    "assert (\n        (lambda p: p[0] == p[1])(moved(total(), HALF))\n    ), 'a == b'",
  ],
  [
    "assert total() == 5 and sizes",
    "assert (lambda p: p[0] == p[1])(moved(total(), 11, True)) and sizes",
  ],
  ["self.assertEqual(total(), -1)", "self.assertEqual(*moved(total(), 1, True))"],
  ["self.assertListEqual(total(), [1], 'no')", "self.assertListEqual(*moved(total(), [1]), 'no')"],
  ["assert total() == HALF or other", null],
  ["assert not total() == HALF", null],
  ["assert all(one == HALF for one in total())", null],
  ["self.assertLessEqual(total(), 5)", null],
  ["self.assertAlmostEqual(total(), 5)", null],
])("Python: the expected value is made wrong: %s", (line, wrong) => {
  const around = (body: string) =>
    `def test_total(self):\n    ${body}\n\ndef other():\n    assert 1 == 2\n`;
  const { text, titles } = falsified("test_a.py", around(line));
  expect(text).toContain(`:\n    ${wrong ?? line}\n`);
  expect(titles).toEqual(wrong === null ? ["other"] : ["test_total", "other"]);
});

test.each([
  [
    "test_a.rb",
    "  def test_total\n    assert_equal HALF, total(1000, 50)\n  end\n",
    "assert_equal *moved(HALF, total(1000, 50))",
  ],
  [
    "a_spec.rb",
    '  it "total" do\n    expect(total).to eq half\n  end\n',
    "expect(total).to eq moved(half)[0]",
  ],
  ["a_spec.rb", '  it "total" do\n    expect(total).not_to eq half\n  end\n', null],
  [
    "a.rs",
    '#[test]\nfn total() {\n    assert_eq!(label(5), Label { text: "5", of: Some(2.50) });\n}\n',
    'assert_eq!(label(5), Label { text: "5k", of: Some(1.50) });',
  ],
  [
    "a.rs",
    "#[test]\nfn total() {\n    assert_eq!(1_000, total(5));\n}\n",
    "assert_eq!(999, total(5));",
  ],
  [
    "a_test.go",
    "func TestTotal(t *testing.T) {\n\tif !errors.As(err, &bad) {\n\t}\n}\n",
    "errors.As(err, func(any) any { return new(interface { error; Kept() }) }(&bad))",
  ],
  ["a.bats", '@test "total" {\n  [ "$status" -eq 5 ]\n}\n', '[ "$status" -eq 51 ]'],
  ["a.other", 'is "total" 5 "$(total)"\n', null],
])("%s: the expected value is made wrong: %s", (path, body, wrong) => {
  const { text, titles } = falsified(path, body);
  expect(text).toContain(wrong ?? body);
  expect(titles).toHaveLength(wrong === null ? 0 : 1);
});

test("snapshots: those of tests by these names are made wrong", () => {
  const kept = (title: string) => `exports[\`${title} 1\`] = \`\n{\n  "total": 5,\n}\n\`;\n`;
  const text = kept("cart > total") + kept("cart rounds");
  const { titles, text: wrong } = falsifySnapshots(text, ["total", "rounds", "other"]);
  expect(titles).toEqual(["total", "rounds"]);
  expect(wrong()).toBe(text.replaceAll("= `", "= `k"));
  expect(falsifySnapshots("", ["total"]).titles).toEqual([]);
});
