import { expect, test } from "vitest";
import { failingTests, SkillState } from "../src/index.ts";

const nothing = {
  fixed: [],
  still_failing: [],
  flaky: [],
  removed: [],
  added: [],
  new_failures: [],
  owed: [],
};

test.each<[string, object, string[]]>([
  ["a run that passed", { passed: true, failed_tests: ["known red"] }, []],
  ["a run without a baseline", { failed_tests: ["a", "b"] }, ["a", "b"]],
  [
    "a run with known-red tests",
    {
      failed_tests: ["a", "b", "red"],
      comparison: { ...nothing, new_failures: ["a"], owed: ["b", "a"] },
    },
    ["a", "b"],
  ],
  ["a run that says nothing test by test", { failed_tests: ["red"], comparison: nothing }, ["red"]],
  ["no run", {}, []],
])("of %s", (_, validate, tests) => {
  expect(failingTests(SkillState.parse({ validate }))).toEqual(tests);
});

test("of a loop without a plan", () => {
  expect(failingTests(null)).toEqual([]);
});
