import {
  LoopError,
  parseReview,
  type ReviewAnswer,
  reviewSchema,
  type TurnEvent,
} from "@ccw-loop/core";
import { type Execution, report } from "../run/context.ts";
import type { SessionKeeper } from "./session-keeper.ts";
import { takeTurn } from "./turn.ts";

/**
 * What may be told of a reviewer while it works. Its words and commands may hold its tests, and the agent whose work it looks
 * at can read the log.
 */
const TOLD: readonly TurnEvent["type"][] = [
  ...(["session.started", "turn.retried", "context.compacted"] as const),
  ...(["limits.updated", "usage.updated", "warning.raised"] as const),
];

/**
 * Asks an agent for a review, in a conversation of its own that ends with the answer; one that cannot be read gets one repair
 * turn. Throws like a turn, and `agent_bad_result`.
 */
export async function askReviewer(
  execution: Execution,
  agent: string,
  prompt: string,
): Promise<ReviewAnswer> {
  const { prompts, sessions } = execution.ctx;
  const reviewer = sessions.reviewer(agent);
  try {
    const first = parseReview(await reviewTurn(execution, reviewer, prompt));
    if (first.ok) return first.review;
    const repair = await prompts.render("repair-review", { problem: first.problem });
    const again = parseReview(await reviewTurn(execution, reviewer, repair));
    if (again.ok) return again.review;
    throw new LoopError(
      "agent_bad_result",
      `Its answer is no review, also after one repair turn: ${again.problem}`,
    );
  } finally {
    await reviewer.forget();
  }
}

async function reviewTurn(
  execution: Execution,
  reviewer: SessionKeeper,
  prompt: string,
): Promise<string> {
  const { ctx, state } = execution;
  const { text } = await takeTurn(execution, prompt, {
    current: () => reviewer.current,
    open: (signal, onEvent) => reviewer.get(state, signal, onEvent),
    outputSchema: reviewSchema(),
    onBegin: () => report(ctx, "VALIDATE", { type: "prompt.sent", text: prompt }),
    onEvent(event) {
      if (TOLD.includes(event.type)) report(ctx, "VALIDATE", event);
    },
    keepsTurnId: () => false,
  });
  return text;
}
