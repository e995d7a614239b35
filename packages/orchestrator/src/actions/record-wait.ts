import { type LoopError, Timestamp, type Waiting } from "@ccw-loop/core";
import { nowOf } from "../run/context.ts";
import { type Execution, interrupted, type RunnableAction } from "./action.ts";

/** The first wait that nobody told the end of; it doubles with each further attempt, up to the longest. */
const SHORTEST_MS = 30_000;
const LONGEST_MS = 15 * 60 * 1000;

/** The action is cut off until something arrives; a loop that was paused or ended meanwhile waits for nothing. */
export async function recordWait(
  execution: Execution,
  action: RunnableAction,
  reason: string,
  waiting: Waiting,
): Promise<void> {
  const { ctx } = execution;
  await ctx.recorder.record((state) => {
    const cut = interrupted(execution, action, reason);
    if (state.status !== "running") return [cut];
    return [cut, { type: "waiting.started", at: nowOf(ctx), waiting }];
  });
}

/** A usage limit or a rate limit: the same action goes on when it is lifted. */
export async function recordLimit(
  execution: Execution,
  action: RunnableAction,
  error: LoopError,
): Promise<void> {
  const { ctx, state } = execution;
  const since = nowOf(ctx);
  const until = untilOf(error, since, state.action?.attempt ?? 1);
  await recordWait(execution, action, error.code, {
    kind: "usage_limit",
    since,
    prompt: error.message,
    ...(until === undefined ? {} : { until }),
  });
}

/** When to try again. A reset time that did not help once, or none for a rate limit, is not tried at once. */
function untilOf(error: LoopError, since: string, attempt: number): string | undefined {
  const told = Timestamp.safeParse(error.details.resets_at).data;
  if (error.code === "usage_limit" && attempt === 1) return told;
  const backoff = Math.min(LONGEST_MS, SHORTEST_MS * 2 ** (attempt - 1));
  const earliest = new Date(Date.parse(since) + backoff).toISOString();
  return told !== undefined && told > earliest ? told : earliest;
}
