import {
  buildSummary,
  isMissingReview,
  type LoopEvent,
  missingReviewQuestion,
  openObjections,
  outcomeOf,
  questionOf,
  selectNextAction,
  waitsForAcceptance,
} from "@ccw-loop/core";
import { onceServed } from "../run/checkpoint.ts";
import {
  type ActionEnd,
  actionCompleted,
  type Execution,
  interrupted,
  nowOf,
} from "../run/context.ts";

/** COMPLETE: the summary, and the end that the facts allow; `completed` only behind a passing receipt. */
export async function runComplete(execution: Execution): Promise<ActionEnd> {
  const { ctx, state } = execution;
  if (waitsForAcceptance(state)) {
    const open = openObjections(state);
    if (open.every(isMissingReview)) {
      const prompt = missingReviewQuestion(open);
      return { kind: "question", prompt, about: "review", options: ["accept", "again"] };
    }
    const waived = state.receipts?.at(-1)?.waived !== undefined;
    const prompt = questionOf(open, waived);
    return { kind: "question", prompt, about: "objections", options: ["accept", "reject"] };
  }
  if (outcomeOf(state).status === "completed" && state.workspace?.branch !== undefined) {
    const commit = () => ctx.workspace.commitWorktree(ctx.id, state.title);
    await onceServed(ctx, "COMPLETE", commit);
  }
  return {
    kind: "events",
    events: (state): LoopEvent[] => {
      const { action, reason } = selectNextAction(state);
      if (action !== "COMPLETE") return [interrupted(execution, "COMPLETE", reason, "operator")];
      const at = nowOf(execution.ctx);
      const { status, ...outcome } = outcomeOf(state);
      const output = { action, summary: { ...buildSummary(state, at) } };
      return [
        actionCompleted(execution, outcome.message, output, at),
        { type: status === "completed" ? "loop.completed" : "loop.failed", at, outcome },
      ];
    },
  };
}
