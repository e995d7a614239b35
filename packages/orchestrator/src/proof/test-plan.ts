import type { LoopState, VerifyPlan } from "@ccw-loop/core";
import type { RunContext } from "../run/context.ts";

/**
 * How this loop is verified: the operator's command, else the one that the baseline ran, so that an agent cannot lead
 * the search elsewhere; else what is found. Null when there is nothing to run.
 */
export async function testPlan(ctx: RunContext, state: LoopState): Promise<VerifyPlan | null> {
  const given = state.settings?.verify ?? (state.baseline?.command || undefined);
  return ctx.deps.verifier.detect(ctx.cwd, given);
}
