import { expect, test } from "vitest";
import { falsify, runnerOfTestFile } from "../src/checks/test-text.ts";

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

test.each([
  ["assert.equal(total(), 5);", "assert.equal(total(), 6);"],
  ['expect(total()).toBe(2.5, "half");', 'expect(total()).toBe(3.5, "half");'],
  ["self.assertEqual(total(), -1)", "self.assertEqual(total(), 0)"],
  // What is no equality may hold with another number too.
  ["expect(total()).toBeLessThanOrEqual(5);", null],
  ["expect(total()).toBeGreaterThanOrEqual(5);", null],
  ["self.assertLessEqual(total(), 5)", null],
  ["self.assertAlmostEqual(total(), 5)", null],
  ["expect(total()).not.toBe(5);", null],
])("an expected value is made wrong: %s", (line, wrong) => {
  const { text, titles } = falsify(`test("total", () => {\n${line}\n});`);
  expect(text.split("\n")[1]).toBe(wrong ?? line);
  expect(titles).toEqual(wrong === null ? [] : ["total"]);
});
