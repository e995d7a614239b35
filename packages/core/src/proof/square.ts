import type { Objection } from "../state/receipt.ts";
import type { TestStates } from "../state/test-run.ts";
import { counted, fingerprint } from "../text.ts";
import { testNames } from "./test-ids.ts";

export interface CellRun {
  /** Every test with how it ended, by identity; a command without a report is one test, `$ command`. */
  tests: TestStates;
  /** Exit codes and reports agree and the reports are complete; else nothing can be said test by test. */
  trusted: boolean;
  /** Every command exited with 0. */
  passed: boolean;
  /** One sentence. */
  reason: string;
}

/** The runs that were made. Which are needed is for `needsStart` and `needsCounterfactual` to say. */
export interface SquareRuns {
  /** Start sources, start tests, in place, before the loop changed anything. */
  baseline: CellRun;
  /** Present sources, present tests, in place. */
  present: CellRun;
  /** Present sources, start tests, in the clean room; null when the room could not be made. */
  verdict: CellRun | null;
  /** Start sources, start tests, in the clean room. */
  start: CellRun | null;
  /** Start sources, present tests, in the clean room. */
  counterfactual: CellRun | null;
}

/** What the operator said beforehand, and what is known of the files. */
export interface SquareTerms {
  /** Failed in the baseline and may stay red. */
  isKnownRed: (id: string) => boolean;
  /** Its file may be changed: the present form of the test counts in place of the old one. */
  isExcused: (id: string) => boolean;
  /** Whether the file of a test is what it was at the start: only then may it be judged in place. */
  isUnchanged: (id: string) => boolean;
  /** Behaviour must stay as it was: no witness is asked for. */
  expectUnchanged: boolean;
  /** Whether anything but sources was changed. */
  testsChanged: boolean;
  /** Whether what lies outside of the project, and the tests use, may have changed since the baseline. */
  surroundingsChanged: boolean;
}

export interface Judgement {
  /** Why this is no proof: each with the cell that says so and the tests it says so of. Empty: proven. */
  objections: Objection[];
  /** Tests that fail without the change and pass with it. */
  witnesses: string[];
  /** Tests that cannot run in the clean room and were judged in place. */
  in_place: string[];
  remarks: string[];
}

const TESTS_NAMED = 50;

/** The start's tests that have to pass with the present sources: those that passed, and those that failed and are not known red. */
export function requiredTests(
  { baseline }: Pick<SquareRuns, "baseline">,
  terms: SquareTerms,
): string[] {
  return Object.keys(baseline.tests).filter(
    (id) =>
      !terms.isExcused(id) &&
      (baseline.tests[id] === "passed" ||
        (baseline.tests[id] === "failed" && !terms.isKnownRed(id))),
  );
}

/** Whether the start has to be run in the clean room too: something that was green in place is not green there. */
export function needsStart(runs: SquareRuns, terms: SquareTerms): boolean {
  const { baseline, verdict } = runs;
  if (verdict === null) return false;
  const notThere = requiredTests(runs, terms).some(
    (id) => baseline.tests[id] === "passed" && verdict.tests[id] !== "passed",
  );
  return notThere || (!verdict.trusted && baseline.trusted) || (baseline.passed && !verdict.passed);
}

/**
 * Whether the counterfactual says anything that the baseline does not: where only sources changed, both are the same
 * run.
 */
export function needsCounterfactual(runs: SquareRuns, terms: SquareTerms): boolean {
  return (
    (terms.testsChanged || terms.surroundingsChanged) &&
    runs.verdict !== null &&
    judgeVerdict(runs, terms).objections.length === 0
  );
}

/** From the runs to a proof, or to the questions that remain. Pure; at least the verdict has been tried. */
export function judgeSquare(runs: SquareRuns, terms: SquareTerms): Judgement {
  const { objections, in_place } = judgeVerdict(runs, terms);
  const found = [...objections, ...judgeCounterfactual(runs, terms)];
  const witnesses = witnessesOf(runs, terms);
  if (found.length === 0 && witnesses.length === 0 && !terms.expectUnchanged) {
    const message = "No test fails without this change, so no run shows that it does anything.";
    found.push(objectionOf("witness", [], message));
  }
  return { objections: found, witnesses, in_place, remarks: remarksOf(runs, witnesses) };
}

function judgeVerdict(
  runs: SquareRuns,
  terms: SquareTerms,
): { objections: Objection[]; in_place: string[] } {
  const { baseline, present, verdict, start } = runs;
  if (verdict === null) return { objections: [], in_place: [] };
  const objections: Objection[] = [];
  const object = (...about: Parameters<typeof objectionOf>) =>
    objections.push(objectionOf(...about));
  const red: string[] = [];
  const failsOnlyInRoom: string[] = [];
  for (const id of requiredTests(runs, terms)) {
    if (verdict.tests[id] === "passed") continue;
    const passesInRoom =
      start === null || baseline.tests[id] !== "passed" || start.tests[id] === "passed";
    (passesInRoom ? red : failsOnlyInRoom).push(id);
  }
  if (red.length > 0) {
    object(
      "verdict",
      red,
      `${counted(red.length, "test")} as ${theyWere(red)} at the start ${red.length === 1 ? "does" : "do"} not pass with the present sources`,
    );
  }
  const unverifiable = failsOnlyInRoom.filter(
    (id) => !terms.isUnchanged(id) || present.tests[id] !== "passed",
  );
  if (unverifiable.length > 0) {
    object(
      "in_place",
      unverifiable,
      `${counted(unverifiable.length, "test")} cannot run in the clean room, and ${theyWere(unverifiable)} changed since the start`,
    );
  }
  const roomFails = start !== null && !start.trusted;
  if (objections.length === 0 && !verdict.trusted && !roomFails) {
    object("verdict", [], `The start's tests with the present sources: ${verdict.reason}`);
  }
  const newFailures = grownFailures(baseline, verdict, terms);
  if (objections.length === 0 && newFailures.length > 0) {
    object(
      "verdict",
      newFailures,
      `${counted(newFailures.length, "test")} failed in the clean room and did not fail at the start`,
    );
  }
  return { objections, in_place: failsOnlyInRoom };
}

/** Failed tests that the baseline does not have: further tests of the same name, or tests inside of sources. */
function grownFailures(baseline: CellRun, verdict: CellRun, terms: SquareTerms): string[] {
  return Object.keys(verdict.tests).filter(
    (id) =>
      verdict.tests[id] === "failed" && !Object.hasOwn(baseline.tests, id) && !terms.isKnownRed(id),
  );
}

/** An owed test that passes on the start's sources was changed to pass, or the programs and packages that it runs with were. */
function judgeCounterfactual(
  { baseline, present, counterfactual }: SquareRuns,
  terms: SquareTerms,
): Objection[] {
  if (counterfactual === null) return [];
  const changed = Object.keys(baseline.tests).filter(
    (id) =>
      baseline.tests[id] === "failed" &&
      !terms.isKnownRed(id) &&
      present.tests[id] === "passed" &&
      counterfactual.tests[id] === "passed",
  );
  if (changed.length === 0) return [];
  const [passes, were, run] =
    changed.length === 1 ? ["passes", "it was", "it runs"] : ["pass", "they were", "they run"];
  const message = `${counted(changed.length, "test")} that failed at the start ${passes} without the present sources, so ${were} changed to pass, or what ${run} with was`;
  return [objectionOf("counterfactual", changed, message)];
}

/**
 * Tests that are red without the change and green with it: old ones that the verdict turned green, and new ones that
 * the counterfactual shows red (a test whose file does not even load there is red).
 */
function witnessesOf(
  { baseline, present, verdict, counterfactual }: SquareRuns,
  terms: SquareTerms,
): string[] {
  const old = Object.keys(baseline.tests).filter(
    (id) =>
      baseline.tests[id] === "failed" && verdict?.tests[id] === "passed" && !terms.isExcused(id),
  );
  const fresh =
    counterfactual === null
      ? []
      : Object.keys(present.tests).filter(
          (id) =>
            present.tests[id] === "passed" &&
            (baseline.tests[id] !== "passed" || terms.isExcused(id)) &&
            counterfactual.tests[id] !== "passed" &&
            counterfactual.tests[id] !== "skipped",
        );
  return [...new Set([...old, ...fresh])];
}

function remarksOf(
  { baseline, present, counterfactual }: SquareRuns,
  witnesses: readonly string[],
): string[] {
  const fresh = Object.keys(present.tests).filter((id) => !Object.hasOwn(baseline.tests, id));
  const silent = fresh.filter(
    (id) => counterfactual?.tests[id] === "passed" && !witnesses.includes(id),
  );
  return silent.length === 0
    ? []
    : [
        `${counted(silent.length, "test")} that came with the change ${silent.length === 1 ? "passes" : "pass"} without it as well: ${testNames(silent)}.`,
      ];
}

/** An objection of one cell, with the tests that raised it behind a colon. The same tests have the same key. */
export function objectionOf(kind: string, tests: readonly string[], message: string): Objection {
  return {
    key: `${kind}:${fingerprint(tests.length > 0 ? tests.join("\n") : message)}`,
    kind,
    path: "",
    ...(tests.length > 0 ? { tests: tests.slice(0, TESTS_NAMED) } : {}),
    message: tests.length > 0 ? `${message}: ${testNames(tests)}.` : message,
  };
}

function theyWere(ids: readonly string[]): string {
  return ids.length === 1 ? "it was" : "they were";
}
