import type { Hypothesis } from "@ccw-loop/core";
import { nowOf } from "../../run/context.ts";
import type { Execution } from "../action.ts";

/** Puts hypotheses on record in the middle of the action, so that a repeat of it goes on from there. */
export async function recordHypotheses(
  { ctx }: Execution,
  hypotheses: readonly Hypothesis[],
): Promise<void> {
  if (hypotheses.length === 0) return;
  await ctx.recorder.record(() => [
    { type: "evidence.recorded", at: nowOf(ctx), hypotheses: [...hypotheses] },
  ]);
}
