import type { LoopState } from "../state/loop-state.ts";
import { fitsTest } from "./patterns.ts";

/** Which of the tests that failed before the loop began it has to turn green. */
export interface Scope {
  owed: string[];
  known_red: string[];
  /** For people: what decided it. */
  reason: string;
}

/** Words of somebody who wants something repaired. */
const REPAIR =
  /\b(fail(s|ed|ing|ures?)?|fix(es|ed|ing)?|bugs?|broken|breaks?|repair(s|ed|ing)?|debug(ging)?|crash(es|ed|ing)?|regressions?|wrong|incorrect(ly)?|red|green|pass(es|ing)?|suite)\b/i;

/** Shorter names occur in any text. */
const SHORTEST_NAME = 6;

/**
 * Only the operator's own words decide, never the agent's (ADR 11): targets that were named, tests that were
 * called known-red, tests that the task names, else whether the task asks for a repair at all.
 */
export function scopeOf(state: LoopState): Scope {
  const tests = state.baseline?.tests ?? {};
  const failed = Object.keys(tests).filter((id) => tests[id] === "failed");
  if (failed.length === 0) return { owed: [], known_red: [], reason: "No test failed before." };
  const { targets = [], known_red = [] } = state.settings ?? {};
  const known = failed.filter((id) => known_red.some((pattern) => fitsTest(pattern, id)));
  const open = failed.filter((id) => !known.includes(id));
  const split = (owed: string[], reason: string): Scope => ({
    owed,
    known_red: failed.filter((id) => !owed.includes(id)),
    reason,
  });

  if (targets.length > 0) {
    const named = open.filter((id) => targets.some((pattern) => fitsTest(pattern, id)));
    return split(named, "The operator named the targets.");
  }
  if (known_red.length > 0) {
    return split(open, "The operator named the tests that are known to fail.");
  }
  const text = state.baseline?.asked ?? `${state.title}\n${state.description}`;
  const named = open.filter((id) => isNamedIn(text, id));
  if (named.length > 0) return split(named, "The task names them.");
  const word = REPAIR.exec(text)?.[0];
  if (word !== undefined) {
    return split(open, `The task asks for a repair ("${word}") and names no single test.`);
  }
  return split([], "The task asks for no repair.");
}

/** By its whole id, its own name, or the file it is in. */
function isNamedIn(text: string, id: string): boolean {
  const parts = id.split(" > ");
  const names = [id, parts.at(-1) ?? "", parts[0] ?? ""].filter((n) => n.length >= SHORTEST_NAME);
  const file = parts[0]?.split("/").at(-1) ?? "";
  if (file.includes(".") && file.length >= SHORTEST_NAME) names.push(file);
  const lower = text.toLowerCase();
  return names.some((name) => lower.includes(name.toLowerCase()));
}
