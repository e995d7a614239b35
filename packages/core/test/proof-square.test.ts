import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type CellRun,
  judgeSquare,
  needsCounterfactual,
  needsStart,
  type SquareRuns,
  type SquareTerms,
  type TestStates,
} from "../src/index.ts";

const [P, F, S] = ["passed", "failed", "skipped"] as const;

function cell(tests: TestStates, changes: Partial<CellRun> = {}): CellRun {
  const passed = !Object.values(tests).includes("failed");
  return {
    tests,
    trusted: true,
    passed,
    reason: passed ? "All passed." : "Some failed.",
    ...changes,
  };
}

const TERMS: SquareTerms = {
  isKnownRed: () => false,
  isExcused: () => false,
  isUnchanged: () => true,
  expectUnchanged: false,
  testsChanged: false,
  surroundingsChanged: false,
};

const RUNS: SquareRuns = {
  baseline: cell({ old: P, owed: F }),
  present: cell({ old: P, owed: P }),
  verdict: cell({ old: P, owed: P }),
  start: null,
  counterfactual: null,
};

function judged(runs: Partial<SquareRuns>, terms: Partial<SquareTerms> = {}) {
  const verdict = runs.present ?? RUNS.present;
  const judgement = judgeSquare({ ...RUNS, verdict, ...runs }, { ...TERMS, ...terms });
  return { ...judgement, kinds: judgement.objections.map(({ kind }) => kind) };
}

const exits = (passed: boolean) => cell({ "$ make test": passed ? P : F });

describe("proven", () => {
  test("owed tests that turn green are witnesses", () => {
    expect(judged({})).toMatchObject({ objections: [], witnesses: ["owed"] });
  });
  test("so is a new test that is red without the change", () => {
    const runs = {
      baseline: cell({ old: P }),
      present: cell({ old: P, fresh: P }),
      verdict: cell({ old: P }),
      counterfactual: cell({ old: P, fresh: F }),
    };
    expect(judged(runs, { testsChanged: true })).toMatchObject({
      objections: [],
      witnesses: ["fresh"],
    });
    const unloaded = { ...runs, counterfactual: cell({ old: P, "(file)": F }) };
    expect(judged(unloaded, { testsChanged: true })).toMatchObject({
      objections: [],
      witnesses: ["fresh"],
    });
  });
  test("and a command that failed and passes, where tests have no names", () => {
    expect(judged({ baseline: exits(false), present: exits(true) }).kinds).toEqual([]);
    const linted = { baseline: cell({ a: P, "$ lint": F }), present: cell({ a: P, "$ lint": P }) };
    expect(judged(linted)).toMatchObject({ objections: [], witnesses: ["$ lint"] });
  });
  test("behaviour that must stay needs no witness", () => {
    const same = { baseline: cell({ old: P }), present: cell({ old: P }) };
    expect(judged(same).kinds).toEqual(["witness"]);
    expect(judged(same, { expectUnchanged: true }).kinds).toEqual([]);
  });
  test("a test that is gone or weakened now is no matter where the old one passes", () => {
    const runs = { present: cell({ old: P }), verdict: cell({ old: P, owed: P }) };
    expect(
      judged({ ...runs, counterfactual: cell({ old: P }) }, { testsChanged: true }).kinds,
    ).toEqual([]);
  });
  test("a test that cannot run in the clean room is judged in place, as long as it is what it was", () => {
    const runs = {
      baseline: cell({ old: P, owed: F, port: P }),
      present: cell({ old: P, owed: P, port: P }),
      verdict: cell({ old: P, owed: P, port: F }),
      start: cell({ old: P, owed: F, port: F }),
    };
    expect(judged(runs)).toMatchObject({ objections: [], in_place: ["port"] });
    expect(judged(runs, { isUnchanged: (id) => id !== "port" }).kinds).toEqual(["in_place"]);
    expect(judged({ ...runs, present: cell({ old: P, owed: P, port: F }) }).kinds).toEqual([
      "in_place",
    ]);
  });
});

describe("a question", () => {
  test.each<[string, Partial<SquareRuns>, string[]]>([
    ["an owed test is red", { verdict: cell({ old: P, owed: F }) }, ["verdict"]],
    ["an owed test is skipped", { verdict: cell({ old: P, owed: S }) }, ["verdict"]],
    ["an old test is red", { verdict: cell({ old: F, owed: P }) }, ["verdict"]],
    ["an old test is not there", { verdict: cell({ owed: P }) }, ["verdict"]],
    ["nothing ran", { verdict: cell({}, { trusted: false }) }, ["verdict"]],
    [
      "the run cannot be trusted",
      { verdict: cell({ old: P, owed: P }, { trusted: false, passed: false }) },
      ["verdict"],
    ],
    [
      "one more test of the same name fails",
      { verdict: cell({ old: P, owed: P, "old #2": F }) },
      ["verdict"],
    ],
    [
      "only exit codes: not green",
      { baseline: exits(false), present: exits(true), verdict: exits(false) },
      ["verdict"],
    ],
    [
      "only exit codes: green without the sources",
      {
        baseline: exits(false),
        present: exits(true),
        verdict: exits(true),
        counterfactual: exits(true),
      },
      ["counterfactual"],
    ],
    [
      "the owed test passes without the sources",
      { counterfactual: cell({ old: P, owed: P }) },
      ["counterfactual"],
    ],
  ])("%s", (_, runs, kinds) => {
    expect(judged(runs, { testsChanged: runs.counterfactual !== undefined }).kinds).toEqual(kinds);
  });

  test("it names the tests, and the same tests have the same key", () => {
    const [one] = judged({ verdict: cell({ old: F, owed: P }) }).objections;
    expect(one).toMatchObject({ tests: ["old"], message: expect.stringContaining("old") });
    expect(judged({ verdict: cell({ old: F, owed: P }) }).objections[0]?.key).toBe(one?.key);
    expect(judged({ verdict: cell({ old: P, owed: F }) }).objections[0]?.key).not.toBe(one?.key);
  });
});

test("a new test that passes without the change is a remark", () => {
  const runs = {
    present: cell({ old: P, owed: P, extra: P }),
    verdict: cell({ old: P, owed: P }),
    counterfactual: cell({ old: P, owed: F, extra: P }),
  };
  const { objections, remarks } = judged(runs, { testsChanged: true });
  expect(objections).toEqual([]);
  expect(remarks).toEqual([expect.stringContaining("extra")]);
});

const state = fc.constantFrom(P, F, S, undefined);
const anyCell = fc
  .tuple(fc.record({ a: state, b: state, c: state }), fc.boolean())
  .map(([tests, trusted]) => {
    const named = Object.fromEntries(Object.entries(tests).filter(([, one]) => one)) as TestStates;
    return cell(named, { trusted });
  });
const anyRuns: fc.Arbitrary<SquareRuns> = fc.record({
  baseline: anyCell,
  present: anyCell,
  verdict: anyCell,
  start: fc.option(anyCell),
  counterfactual: fc.option(anyCell),
});

test("no objection is left only where every cell says yes", () => {
  fc.assert(
    fc.property(anyRuns, fc.boolean(), (runs, expectUnchanged) => {
      const terms = { ...TERMS, expectUnchanged, testsChanged: runs.counterfactual !== null };
      const { objections, in_place } = judgeSquare(runs, terms);
      if (objections.length > 0) return;
      for (const [id, before] of Object.entries(runs.baseline.tests)) {
        if (before === S) continue;
        const green = runs.verdict?.tests[id] === P;
        const inPlace = in_place.includes(id) && before === P && runs.present.tests[id] === P;
        expect(green || inPlace).toBe(true);
        if (before === F && runs.present.tests[id] === P)
          expect(runs.counterfactual?.tests[id]).not.toBe(P);
      }
      const roomRuns = runs.start === null || runs.start.trusted;
      if (roomRuns) expect(runs.verdict?.trusted).toBe(true);
    }),
    { numRuns: 5000 },
  );
});

test("the start is run in the clean room only where the verdict says no, the counterfactual only where tests changed", () => {
  expect([needsStart(RUNS, TERMS), needsCounterfactual(RUNS, TERMS)]).toEqual([false, false]);
  expect(needsCounterfactual(RUNS, { ...TERMS, testsChanged: true })).toBe(true);
  const red = { ...RUNS, verdict: cell({ old: F, owed: P }) };
  expect([
    needsStart(red, TERMS),
    needsCounterfactual(red, { ...TERMS, testsChanged: true }),
  ]).toEqual([true, false]);
  const owedRed = { ...RUNS, verdict: cell({ old: P, owed: F }) };
  expect(needsStart(owedRed, TERMS)).toBe(false);
});

test("where programs and packages may have changed, what was red has to be red without the present sources", () => {
  const terms = { ...TERMS, surroundingsChanged: true };
  expect([needsCounterfactual(RUNS, TERMS), needsCounterfactual(RUNS, terms)]).toEqual([
    false,
    true,
  ]);
  const green = judged({ counterfactual: cell({ old: P, owed: P }) }, terms);
  expect(green.kinds).toEqual(["counterfactual"]);
  const red = judged({ counterfactual: cell({ old: P, owed: F }) }, terms);
  expect(red).toMatchObject({ objections: [], witnesses: ["owed"] });
});
