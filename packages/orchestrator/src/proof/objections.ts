import { debtsOf, type LoopState, type Objection, objectionOf } from "@ccw-loop/core";
import type { RunContext } from "../run/context.ts";
import type { ProofRun } from "./run-tests.ts";
import { changesBetween, startOf } from "./start.ts";

/** One when nothing was changed behind the baseline but what the tests themselves write. */
export async function objectionsToIdleness(
  ctx: RunContext,
  state: LoopState,
  { tree_after, written }: Pick<ProofRun, "tree_after" | "written">,
): Promise<Objection[]> {
  const start = state.baseline?.tree ?? startOf(state)?.tree;
  const changes = await changesBetween(ctx, start, tree_after);
  if (!changes?.every(({ path }) => written.includes(path))) return [];
  const message =
    "Nothing was changed since the loop began, so the tests say nothing about its work.";
  return [objectionOf("nothing_changed", [], message)];
}

/** Tests that the plan set aside and that are still red: a person decides whether they are none of the loop's business. */
export function objectionsToSetAside(state: LoopState, { verdict }: ProofRun): Objection[] {
  const { set_aside } = debtsOf(state);
  const red = set_aside.filter((id) => verdict.comparison.owed.includes(id));
  if (red.length === 0) return [];
  const verb =
    red.length === 1
      ? "test that failed at the start still fails"
      : "tests that failed at the start still fail";
  return [
    objectionOf(
      "owed",
      red,
      `${red.length} ${verb}; the plan called ${red.length === 1 ? "it" : "them"} none of its business`,
    ),
  ];
}
