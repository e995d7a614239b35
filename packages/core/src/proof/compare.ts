import type { Baseline } from "../state/baseline.ts";
import type { Comparison } from "../state/receipt.ts";
import type { TestResult, TestStates } from "../state/test-run.ts";
import { testStates } from "./test-ids.ts";

/** Runs of the same files put together: what every run said, and which tests changed their mind. */
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
