import type { Verification } from "../ports/verifier.ts";
import type { Comparison } from "../state/receipt.ts";
import { compareRuns, mergeRuns } from "./compare.ts";
import { type RedTestInput, redTestsOf } from "./owed.ts";
import { fitsTest } from "./patterns.ts";

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
    return verdict(false, `${tests(new_failures, "fail")} now: ${names(new_failures)}.`, doubtful);
  }
  const open = owed.filter((id) => !debts.set_aside.includes(id));
  if (open.length > 0) return verdict(false, `${tests(open, "still fail")}: ${names(open)}.`);
  const shaky = flaky.filter((id) => before[id] !== "passed" && !isKnown(id));
  if (shaky.length > 0) {
    return verdict(
      false,
      `${tests(shaky, "pass")} and ${shaky.length === 1 ? "fails" : "fail"} without any change: ${names(shaky)}.`,
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

function names(ids: readonly string[]): string {
  const shown = ids.slice(0, 3).map((id) => id.replaceAll(/\s+/g, " ").slice(0, 120));
  return ids.length > 3 ? `${shown.join("; ")}; and ${ids.length - 3} more` : shown.join("; ");
}
