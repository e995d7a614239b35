import { describe, expect, test } from "vitest";
import {
  CommandRun,
  compareRuns,
  judgeRuns,
  mergeRuns,
  type TestStates,
  testStates,
} from "../src/index.ts";
import { loop } from "./given.ts";
import { countsOf, loopWith, results, run } from "./verification.ts";

const [P, F, S] = ["passed", "failed", "skipped"] as const;

describe("a verdict", () => {
  test.each<[string, TestStates | null, TestStates[], boolean, RegExp]>([
    ["all green", { "a > x": P }, [{ "a > x": P }], true, /1 test passed/],
    ["a new failure", { "a > x": P }, [{ "a > x": F }], false, /1 test fails now: a > x/],
    ["an added test that fails", { "a > x": P }, [{ "a > x": P, "a > y": F }], false, /a > y/],
    [
      "an owed red test",
      { "a > x": F, "a > y": P },
      [{ "a > x": F, "a > y": P }],
      false,
      /1 test still fails: a > x/,
    ],
    [
      "one of two fixed",
      { "a > x": F, "a > y": F },
      [{ "a > x": P, "a > y": F }],
      false,
      /still fails: a > y/,
    ],
    [
      "an owed test that is skipped now",
      { "a > x": F, "a > y": P },
      [{ "a > x": S, "a > y": P }],
      false,
      /still fails: a > x/,
    ],
    ["an owed test that moved and passes", { "a > x": F }, [{ "b > x": P }], true, /passed/],
    [
      "an owed test that moved and fails",
      { "a > x": F },
      [{ "b > x": F }],
      false,
      /still fails: a > x/,
    ],
    ["no baseline at all", null, [{ "a > x": F }], false, /1 test fails now/],
    ["nothing but skipped tests", { "a > x": P }, [{ "a > x": S }], false, /No test passed/],
    [
      "an old test that flips",
      { "a > x": P, "a > y": P },
      [
        { "a > x": F, "a > y": P },
        { "a > x": P, "a > y": P },
      ],
      true,
      /1 flaky/,
    ],
    [
      "an owed test that flips",
      { "a > x": F },
      [{ "a > x": P }, { "a > x": F }],
      false,
      /passes and fails without any change: a > x/,
    ],
    [
      "an added test that flips",
      { "a > x": P },
      [
        { "a > x": P, "a > y": F },
        { "a > x": P, "a > y": P },
      ],
      false,
      /without any change: a > y/,
    ],
  ])("%s", (_, before, runs, passed, reason) => {
    const verdict = judgeRuns(
      before ? loopWith(before) : loop(),
      runs.map((states) => run(states)),
    );
    expect(verdict).toMatchObject({ passed, reason: expect.stringMatching(reason) });
  });

  test.each([
    [[F], /1 failed before the loop and still fail/],
    [[F, P], /flaky/],
  ] as const)("passes over a known red test: %j", (states, reason) => {
    const before = loopWith({ "a > x": F, "a > y": P }, { known_red: ["a > x"] });
    const runs = states.map((state) => run({ "a > x": state, "a > y": P }));
    const passes = { passed: true, reason: expect.stringMatching(reason) };
    expect(judgeRuns(before, runs)).toMatchObject(passes);
  });

  test("of a report that cannot be trusted is never a pass, whatever the tests say", () => {
    const forged = run({ "a > x": P }, { verdict: "untrusted", exit_code: 1, reason: "It lies." });
    expect(judgeRuns(loopWith({ "a > x": P }), [forged])).toMatchObject({
      passed: false,
      reason: "It lies.",
    });
    expect(judgeRuns(loopWith({ "a > x": P }), [run({ "a > x": P }), forged]).passed).toBe(false);
  });

  test("passes over a command that is known to fail, but not over all of them", () => {
    const lint = CommandRun.parse({
      ...{ command: "npm run lint", exit_code: 1, duration_ms: 1, report: null },
      ...{ counts: countsOf({}), verdict: "untrusted", reason: "It exited with 1." },
    });
    const state = loopWith({ "a > x": P }, { known_red: ["npm run lint"] });
    const both = run({ "a > x": P });
    expect(judgeRuns(state, [{ ...both, commands: [lint, ...both.commands] }]).passed).toBe(true);
    expect(judgeRuns(state, [{ ...both, commands: [lint] }])).toMatchObject({ passed: false });
    const unasked = loopWith({ "a > x": P });
    expect(judgeRuns(unasked, [{ ...both, commands: [lint, ...both.commands] }]).passed).toBe(
      false,
    );
  });

  test("is in doubt only over a few new failures, and not while owed tests fail", () => {
    const doubtful = (before: TestStates, now: TestStates) =>
      judgeRuns(loopWith(before), [run(now)]).doubtful;
    expect(doubtful({ "a > x": P }, { "a > x": F })).toBe(true);
    expect(doubtful({ "a > x": P, "a > y": F }, { "a > x": F, "a > y": F })).toBe(false);
    const many = Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`a > ${i}`, F]));
    expect(doubtful({}, many)).toBe(false);
    expect(doubtful({ "a > x": P }, { "a > x": P })).toBe(false);
  });
});

describe("runs of the same files", () => {
  test("are put together: failed only where none passed, flaky where both happened", () => {
    const merged = mergeRuns([
      results({ "a > x": F, "a > y": F, "a > z": P }),
      results({ "a > x": P, "a > y": F, "a > z": P }),
    ]);
    expect(merged.states).toEqual({ "a > x": P, "a > y": F, "a > z": P });
    expect(merged.flaky).toEqual(["a > x"]);
  });

  test("tests that share a name are numbered, the worst first", () => {
    const twice = [...results({ "a > x": P }), ...results({ "a > x": F })];
    expect(testStates(twice)).toEqual({ "a > x": F, "a > x #2": P });
    expect(testStates([...twice, ...results({ "a > x": F })])).toEqual({
      "a > x": F,
      "a > x #2": F,
      "a > x #3": P,
    });
  });

  test("of tests that share a name, those that are skipped all the time stay the same when others are repaired", () => {
    const named = (...states: (typeof F | typeof S | typeof P)[]) =>
      testStates(states.flatMap((state) => results({ "a > x": state })));
    expect(named(F, S, F)).toEqual({ "a > x": F, "a > x #2": F, "a > x #3": S });
    expect(named(P, S, P)).toEqual({ "a > x": P, "a > x #2": P, "a > x #3": S });
    // One that is skipped in the place of its repair is seen.
    expect(named(S, S, P)).toEqual({ "a > x": P, "a > x #2": S, "a > x #3": S });
  });
});

describe("beside the baseline", () => {
  const compared = (before: TestStates, now: TestStates, complete = true) =>
    compareRuns({ tests: before }, { states: now, flaky: [] }, { owed: [], complete });

  test("every class is told apart", () => {
    expect(
      compared(
        {
          "a > kept": P,
          "a > broke": P,
          "a > fixed": F,
          "a > red": F,
          "a > gone": P,
          "a > moved": P,
        },
        {
          "a > kept": P,
          "a > broke": F,
          "a > fixed": P,
          "a > red": F,
          "b > moved": P,
          "b > new": P,
        },
      ),
    ).toMatchObject({
      new_failures: ["a > broke"],
      fixed: ["a > fixed"],
      still_failing: ["a > red"],
      removed: ["a > gone"],
      added: ["b > new"],
    });
  });

  test("a red test that moved still fails, it is no new failure", () => {
    expect(compared({ "a > x": F }, { "b > x": F })).toMatchObject({
      new_failures: [],
      still_failing: ["b > x"],
    });
  });

  test("nothing is called removed or added where not every test is known by name", () => {
    expect(compared({ "a > x": P }, { "a > y": P }, false)).toMatchObject({
      removed: [],
      added: [],
    });
  });
});
