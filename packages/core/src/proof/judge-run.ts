import type { Verification } from "../ports/verifier.ts";
import type { LoopState } from "../state/loop-state.ts";
import type { Comparison } from "../state/receipt.ts";
import type { Baseline, TestResult, TestStates } from "../state/test-run.ts";
import { fitsTest, testNames, testStates } from "./test-ids.ts";

export interface RunVerdict {
  passed: boolean;
  /** One sentence. */
  reason: string;
  comparison: Comparison;
  /** Running the same files once more could change the verdict: a new failure may be flaky. */
  doubtful: boolean;
}

/** More failures at once are no flakiness. */
const MOST_FLAKY = 10;

/**
 * What the runs of one tree mean for this loop. Tests that failed before and are not owed never block; neither
 * does an old test that failed and passed on the same files. A flaky test that is owed, or that came with the
 * loop, blocks: its pass is no proof. So does a target that no passing test fits. At least one run; the last one is
 * the newest.
 */
export function judgeRuns(state: RedTestInput, runs: readonly Verification[]): RunVerdict {
  const debts = redTestsOf(state);
  const merged = mergeRuns(runs.map(({ tests }) => tests));
  const allNamed = runs.every(({ counts, tests }) => counts.total === tests.length);
  const complete = state.baseline?.complete === true && allNamed;
  const known = state.settings?.known_red ?? [];
  const before = state.baseline?.tests ?? {};
  const isKnown = (id: string) =>
    debts.known_red.includes(id) ||
    (Object.keys(before).length === 0 && known.some((pattern) => fitsTest(pattern, id)));
  const compared = compareRuns(state.baseline, merged, { owed: debts.owed, complete });
  const comparison = {
    ...compared,
    new_failures: compared.new_failures.filter((id) => !isKnown(id)),
    still_failing: [...compared.still_failing, ...compared.new_failures.filter(isKnown)],
  };
  const verdict = (passed: boolean, reason: string, doubtful = false): RunVerdict => ({
    passed,
    reason,
    comparison,
    doubtful,
  });
  for (const { commands } of runs) {
    const bad = commands.find(
      ({ verdict, command }) =>
        verdict === "untrusted" && !known.some((pattern) => fitsTest(pattern, command)),
    );
    if (bad) return verdict(false, bad.reason);
  }
  const { new_failures, owed, flaky } = comparison;
  if (new_failures.length > 0) {
    const doubtful = new_failures.length <= MOST_FLAKY && owed.length === 0;
    return verdict(
      false,
      `${tests(new_failures, "fail")} now: ${testNames(new_failures)}.`,
      doubtful,
    );
  }
  const open = owed.filter((id) => !debts.set_aside.includes(id));
  if (open.length > 0) return verdict(false, `${tests(open, "still fail")}: ${testNames(open)}.`);
  const unprovenFlaky = flaky.filter((id) => before[id] !== "passed" && !isKnown(id));
  if (unprovenFlaky.length > 0) {
    return verdict(
      false,
      `${tests(unprovenFlaky, "pass")} and ${unprovenFlaky.length === 1 ? "fails" : "fail"} without any change: ${testNames(unprovenFlaky)}.`,
    );
  }
  const passing = Object.keys(merged.states).filter((id) => merged.states[id] === "passed");
  const missed = state.settings?.targets?.find(
    (target) =>
      !passing.some((id) => fitsTest(target, id)) &&
      !comparison.still_failing.some((id) => isKnown(id) && fitsTest(target, id)),
  );
  if (missed !== undefined && allNamed && Object.keys(merged.states).length > 0) {
    return verdict(false, `No test that fits the target "${missed}" passed.`);
  }
  const last = runs.at(-1);
  if (!last || last.commands.every(({ verdict }) => verdict === "untrusted")) {
    return verdict(false, "Every test command is known to fail, so nothing proves the work.");
  }
  if (last.report !== null && passing.length === 0) return verdict(false, "No test passed.");
  return verdict(true, passReason(last, comparison));
}

function passReason(run: Verification, { still_failing, flaky }: Comparison): string {
  const { passed, skipped } = run.counts;
  const parts = [run.report === null ? run.reason.replace(/\.$/, "") : `${passed} tests passed`];
  if (run.report !== null && passed === 1) parts[0] = "1 test passed";
  if (skipped > 0) parts.push(`${skipped} skipped`);
  if (still_failing.length > 0) {
    parts.push(`${still_failing.length} failed before the loop and still fail`);
  }
  if (flaky.length > 0) parts.push(`${flaky.length} flaky`);
  return `${parts.join(", ")}.`;
}

function tests(ids: readonly string[], verb: string): string {
  if (ids.length !== 1) return `${ids.length} tests ${verb}`;
  return `1 test ${verb.replace(/(fail|pass)$/, (word) => (word === "pass" ? "passes" : "fails"))}`;
}

/** Runs of the same files put together: what every run said, and which tests both passed and failed. */
export interface Runs {
  /** `failed` only where no run passed it. */
  states: TestStates;
  flaky: string[];
}

/** All runs of one tree as one; at least one run. */
export function mergeRuns(runs: readonly (readonly TestResult[])[]): Runs {
  const all = runs.map(testStates);
  const states = new Map<string, TestStates[string]>();
  const flaky: string[] = [];
  for (const id of new Set(all.flatMap((states) => Object.keys(states)))) {
    const seen = new Set(all.flatMap((one) => (Object.hasOwn(one, id) ? (one[id] ?? []) : [])));
    states.set(id, seen.has("passed") ? "passed" : seen.has("failed") ? "failed" : "skipped");
    if (seen.has("passed") && seen.has("failed")) flaky.push(id);
  }
  return { states: Object.fromEntries(states), flaky };
}

/**
 * The runs of one tree beside the baseline. A test that only moved to another file is neither removed nor added,
 * unless it is skipped there; where not every test is known by name (`complete`), neither can be told.
 */
export function compareRuns(
  baseline: Pick<Baseline, "tests"> | undefined,
  { states, flaky }: Runs,
  { owed, complete }: { owed: readonly string[]; complete: boolean },
): Comparison {
  const before = baseline?.tests ?? {};
  const failing = Object.keys(states).filter((id) => states[id] === "failed");
  const gone = Object.keys(before).filter((id) => !Object.hasOwn(states, id));
  const fresh = Object.keys(states).filter((id) => !Object.hasOwn(before, id));
  const moved = pairByName(gone, fresh);
  const now = (id: string) => states[moved.get(id) ?? id];
  const wasRed = new Set(Object.keys(before).filter((id) => before[id] === "failed"));
  const redThen = (id: string) =>
    wasRed.has(id) || [...wasRed].some((old) => moved.get(old) === id);
  const newIds = new Set(moved.values());
  const isGone = (id: string) =>
    !moved.has(id) || (now(id) === "skipped" && before[id] !== "skipped");
  return {
    new_failures: failing.filter((id) => !redThen(id)),
    fixed: [...wasRed].filter((id) => now(id) === "passed"),
    still_failing: failing.filter(redThen),
    owed: owed.filter((id) => now(id) === "failed" || now(id) === "skipped"),
    flaky,
    removed: complete ? gone.filter(isGone) : [],
    added: complete && baseline ? fresh.filter((id) => !newIds.has(id)) : [],
  };
}

/** Which test that is gone came back under another suite: by its own name, one to one. */
function pairByName(gone: readonly string[], fresh: readonly string[]): Map<string, string> {
  const nameOf = (id: string) => id.slice(id.lastIndexOf(" > ") + 1);
  const free = [...fresh];
  const pairs = new Map<string, string>();
  for (const id of gone) {
    const at = free.findIndex((other) => nameOf(other) === nameOf(id));
    if (at === -1) continue;
    pairs.set(id, ...(free.splice(at, 1) as [string]));
  }
  return pairs;
}

export type RedTestInput = Pick<LoopState, "settings" | "baseline"> & {
  skill_state?: { set_aside?: string[] | undefined } | null | undefined;
};

/** What becomes of the tests that failed in the baseline. */
export interface RedTests {
  /** The loop has to turn them green. */
  owed: string[];
  /** The operator said that they may stay red. */
  known_red: string[];
  /** Those of `owed` that the plan excluded: no iteration is spent on them, and they end as a question. */
  set_aside: string[];
}

/**
 * Red is red: every test that failed in the baseline is owed, whatever the task says. Only the operator narrows it, by
 * `known_red`, or by `targets`, which leave all others known red; a plan may set tests aside, which never makes them
 * pass (ADR 11).
 */
export function redTestsOf(state: RedTestInput): RedTests {
  const tests = state.baseline?.tests ?? {};
  const failed = Object.keys(tests).filter((id) => tests[id] === "failed");
  const { known_red = [], targets = [] } = state.settings ?? {};
  const fits = (patterns: readonly string[], id: string) =>
    patterns.some((one) => fitsTest(one, id));
  const isKnown = (id: string) => fits(known_red, id) || (targets.length > 0 && !fits(targets, id));
  const owed = failed.filter((id) => !isKnown(id));
  const aside = state.skill_state?.set_aside ?? [];
  return {
    owed,
    known_red: failed.filter(isKnown),
    set_aside: owed.filter((id) => fits(aside, id)),
  };
}

/**
 * What the operator gave as a name and fits no test and no command of the baseline; empty where not all of its tests are known,
 * or it has none.
 */
export function unknownTestsOf({ baseline, settings }: RedTestInput): string[] {
  const tests = Object.keys(baseline?.tests ?? {});
  if (!baseline?.complete || tests.length === 0) return [];
  const { command: all, commands } = baseline;
  const named = [...tests, all, ...commands.map(({ command }) => command)];
  const { known_red = [], targets = [] } = settings ?? {};
  const names = new Set([...targets, ...known_red]);
  return [...names].filter((name) => !named.some((one) => fitsTest(name, one)));
}
