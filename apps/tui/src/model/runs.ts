import type { LoopEvent } from "@ccw-loop/core";

/** What the test runs of a loop came to, oldest first. */
export interface Runs {
  /** Share of passed tests, 0 to 1. */
  passRates: readonly number[];
  /** Covered lines, 0 to 100, of the runs that measured them. */
  coverage: readonly number[];
}

export const noRuns: Runs = { passRates: [], coverage: [] };

/** More values than any screen has columns. */
const KEPT = 500;

/** The runs after one more event. */
export function withRun(before: Runs, event: LoopEvent): Runs {
  if (event.type !== "action.completed" || event.output.action !== "VALIDATE") return before;
  const { receipt, coverage } = event.output;
  if (receipt.waived !== undefined) return before;
  const { passed, failed } = receipt.counts;
  const ran = passed + failed;
  const rate = ran === 0 ? Number(receipt.passed) : passed / ran;
  return {
    passRates: [...before.passRates, rate].slice(-KEPT),
    coverage: coverage === null ? before.coverage : [...before.coverage, coverage].slice(-KEPT),
  };
}
