import type { LoopState } from "../state/loop-state.ts";
import { fitsTest } from "./patterns.ts";

/** What says which tests are owed. */
export type RedTestInput = Pick<LoopState, "settings" | "baseline"> & {
  skill_state?: { set_aside?: string[] | undefined } | null | undefined;
};

/** What becomes of the tests that failed in the baseline. */
export interface RedTests {
  /** The loop has to turn them green. */
  owed: string[];
  /** The operator said that they may stay red. */
  known_red: string[];
  /** Those of `owed` that the plan called none of its business: no iteration is spent on them, and they end as a question. */
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
