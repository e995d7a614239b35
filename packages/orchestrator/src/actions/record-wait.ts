import { type LoopError, Timestamp, type Waiting } from "@ccw-loop/core";
import { nowOf } from "../run/context.ts";
import { type Execution, interrupted, type RunnableAction, treeNow, withTree } from "./action.ts";

/**
 * The first wait that nobody told the end of; it doubles with each further one of the same action, up to the longest.
 * Up to a quarter more keeps loops that were stopped at the same moment from coming back at the same moment.
 */
const SHORTEST_MS = 30_000;
const LONGEST_MS = 15 * 60 * 1000;
const JITTER = 0.25;

/** The action is cut off until something arrives; a loop that was paused or ended meanwhile waits for nothing. */
export async function recordWait(
  execution: Execution,
  action: RunnableAction,
  reason: string,
  cause: "question" | "usage_limit",
  waiting: Waiting,
): Promise<void> {
  const { ctx } = execution;
  const left = withTree(await treeNow(ctx));
  await ctx.recorder.record((state) => {
    const cut = left(interrupted(execution, action, reason, cause));
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
  const waits = (state.action?.limited ?? 0) + 1;
  const until = untilOf(error, since, waits, ctx.deps.random());
  await recordWait(execution, action, error.code, "usage_limit", {
    kind: "usage_limit",
    since,
    prompt: error.message,
    until,
  });
}

/**
 * When to try again. A reset time that did not help once is not believed alone; a rate limit is over soon, and a usage
 * limit that nobody told the end of is not.
 */
function untilOf(error: LoopError, since: string, waits: number, random: number): string {
  const told = Timestamp.safeParse(error.details.resets_at).data;
  if (error.code === "usage_limit" && waits === 1 && told !== undefined) return told;
  const unknown = error.code === "usage_limit" && told === undefined;
  const shortest = unknown ? LONGEST_MS : Math.min(LONGEST_MS, SHORTEST_MS * 2 ** (waits - 1));
  const backoff = Math.round(shortest * (1 + JITTER * random));
  const earliest = new Date(Date.parse(since) + backoff).toISOString();
  return told !== undefined && told > earliest ? told : earliest;
}
