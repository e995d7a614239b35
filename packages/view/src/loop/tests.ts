import { type LoopState, reviewLines } from "@ccw-loop/core";
import type { Tone } from "../text/paint.ts";
import type { NamedRow } from "../text/table.ts";
import { comparisonRows, objectionLines } from "./proof.ts";

/** What is told of the tests before the first run on the work. */
export function untestedText({ baseline }: LoopState): string {
  return baseline ? "The tests have not been run since the start." : "The tests have not been run.";
}

/** What needs somebody comes first; the rest stays in the order of the comparison. */
const FIRST = ["New failures", "Still owed", "Objections", "Flaky"];

/** How the names of `testRows` look; others are quiet. */
export const TEST_TONES: Readonly<Record<string, Tone>> = {
  "New failures": "bad",
  "Still owed": "bad",
  Flaky: "warning",
  Fixed: "good",
  Objections: "warning",
};

/** What became of which tests; without a comparison those that failed. */
export function testRows(state: LoopState): NamedRow[] {
  const { comparison, failed_tests = [] } = state.skill_state?.validate ?? {};
  // What the loop owes is told once.
  const beside = comparison && {
    ...comparison,
    still_failing: comparison.still_failing.filter((id) => !comparison.owed.includes(id)),
  };
  const rows = comparisonRows(beside).filter(([, values]) => values.length > 0);
  const failed: NamedRow[] = rows.length > 0 ? [] : [["New failures", failed_tests]];
  const reviews: NamedRow = ["Reviews", reviewLines(state)];
  const all: NamedRow[] = [...rows, ...failed, ["Objections", objectionLines(state)], reviews];
  return all
    .filter(([, values]) => values.length > 0)
    .toSorted(([a], [b]) => placeOf(a) - placeOf(b));
}

function placeOf(name: string): number {
  const at = FIRST.indexOf(name);
  return at < 0 ? FIRST.length : at;
}
