import { expect, test } from "vitest";
import { runnerOfTestFile } from "../src/checks/test-text.ts";

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
  ["run(1);", "exit-code"],
])("the runner of a test file behind a script: %s", (text, dialect) => {
  expect(runnerOfTestFile("script", text)).toBe(dialect);
  expect(runnerOfTestFile("mocha", text)).toBe("mocha");
});
