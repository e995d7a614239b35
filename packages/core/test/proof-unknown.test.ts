import { describe, expect, test } from "vitest";
import { judgeRuns, mergeRuns } from "../src/index.ts";
import { loopWith, run } from "./verification.ts";

const green = { "a > x": "passed" } as const;
const red = { "a > y": "failed" } as const;

describe("tests that nobody knows from before", () => {
  test("do not block when the operator calls them known-red", () => {
    const { passed, comparison } = judgeRuns(loopWith(null, { known_red: ["y"] }), [
      run({ ...green, ...red }),
    ]);
    expect(passed).toBe(true);
    expect(comparison).toMatchObject({ new_failures: [], still_failing: ["a > y"] });
  });

  test("block otherwise, also by the side of tests that are known", () => {
    expect(judgeRuns(loopWith(null), [run({ ...green, ...red })]).passed).toBe(false);
    const known = loopWith({ "a > x": "passed" }, { known_red: ["y"] });
    expect(judgeRuns(known, [run({ ...green, ...red })]).passed).toBe(false);
  });
});

describe("a target", () => {
  const state = (target: string) => loopWith({ "a > y": "failed" }, { targets: [target] });

  test("has to be a test that passed", () => {
    expect(judgeRuns(state("y"), [run({ "a > y": "passed" })]).passed).toBe(true);
    const { passed, reason } = judgeRuns(state("typo"), [run({ ...green, ...red })]);
    expect(passed).toBe(false);
    expect(reason).toBe('No test that fits the target "typo" passed.');
  });

  test("that is not run any more is not met", () => {
    expect(judgeRuns(state("y"), [run(green)]).passed).toBe(false);
  });

  test("is not asked of commands that name no tests", () => {
    expect(judgeRuns(state("y"), [{ ...run({}), report: null }]).passed).toBe(true);
  });
});

test("a test that moved to be skipped counts as removed", () => {
  const state = loopWith({ "a > x": "passed", "a > y": "passed" });
  const { comparison } = judgeRuns(state, [run({ ...green, "b > y": "skipped" })]);
  expect(comparison.removed).toEqual(["a > y"]);
  const moved = judgeRuns(state, [run({ ...green, "b > y": "passed" })]);
  expect(moved.comparison.removed).toEqual([]);
});

test.each(["__proto__", "constructor"])("a failing test may be called %s", (name) => {
  const said = run(Object.fromEntries([...Object.entries(green), [` > ${name}`, "failed"]]));
  expect(Object.keys(mergeRuns([said.tests, run(green).tests]).states)).toContain(name);
  expect(judgeRuns(loopWith({ "a > x": "passed" }), [said])).toMatchObject({
    passed: false,
    comparison: { new_failures: [name] },
  });
});
