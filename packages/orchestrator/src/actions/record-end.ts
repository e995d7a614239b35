import {
  errorText,
  isLimited,
  isLoopError,
  LoopError,
  type LoopEvent,
  type LoopState,
  ownAgent,
  Timestamp,
  tasksOf,
  type Waiting,
} from "@ccw-loop/core";
import {
  actionFailed,
  type Cause,
  type Execution,
  interrupted,
  nowOf,
  type RunnableAction,
  treeNow,
  withTree,
} from "../run/context.ts";
import { Interruption } from "../run/loop-watcher.ts";
import { failed } from "./develop.ts";

/** Errors of the environment: going on would only fail again, so the loop ends and names them. */
const FATAL = [
  "agent_unavailable",
  "agent_unauthorized",
  "agent_misconfigured",
  "sandbox_unavailable",
  "verify_unavailable",
] as const;

/** Errors of one action: recorded, and the loop goes on by its rules. */
const OF_THE_ACTION = [
  "agent_timeout",
  "agent_died",
  "agent_failed",
  "agent_bad_result",
  "context_overflow",
] as const;

/** Records why an action did not end by itself. Rethrows errors that end the run. */
export async function recordFailure(
  execution: Execution,
  action: RunnableAction,
  error: unknown,
): Promise<void> {
  const { ctx } = execution;
  const cause = ctx.watcher.interruption ?? error;
  if (cause instanceof Interruption) return recordInterruption(execution, action, cause);
  if (isLoopError(error, "fenced")) throw error;
  if (isLoopError(error, "usage_limit", "rate_limited")) {
    return recordLimit(execution, action, error);
  }
  if (isLoopError(error, ...OF_THE_ACTION)) return recordActionFailed(execution, action, error);

  const message = errorText(error);
  const outcome = isLoopError(error, ...FATAL) ? { code: error.code, message } : undefined;
  const left = withTree(await treeNow(ctx));
  await ctx.recorder.record((state): LoopEvent[] => {
    const cut = left(interrupted(execution, action, message, "error"));
    const ends = outcome && state.status === "running";
    return ends ? [cut, { type: "loop.failed", at: nowOf(ctx), outcome }] : [cut];
  });
  if (!outcome) throw error;
}

async function recordActionFailed(
  execution: Execution,
  action: RunnableAction,
  error: LoopError,
): Promise<void> {
  const { ctx } = execution;
  const at = nowOf(ctx);
  const tree = await treeNow(ctx);
  const restart: LoopEvent[] = [];
  if (error.code === "context_overflow") {
    await ctx.sessions.active.forget();
    restart.push(ctx.sessions.attached(at, null));
  }
  await ctx.recorder.record((state) => {
    const task = tasksOf(state).find((t) => t.id === state.action?.task_id);
    const { message, code } = error;
    if (action === "DEVELOP" && task) {
      const events = failed(execution, state, task, { message, code });
      return [...events.map(withTree(tree)), ...restart];
    }
    const why = { message, code, task_id: null, files_changed: [] };
    return [withTree(tree)(actionFailed(execution, action, why)), ...restart];
  });
}

const CAUSES = {
  status: "operator",
  signal: "operator",
  files: "operator",
  store: "error",
  limit: "limit",
} as const satisfies Partial<Record<Interruption["kind"], Cause>>;

async function recordInterruption(
  execution: Execution,
  action: RunnableAction,
  interruption: Interruption,
): Promise<void> {
  const { ctx } = execution;
  const { kind, message } = interruption;
  if (kind === "lease_taken") throw new LoopError("fenced", `Loop ${ctx.id}: ${message}`);
  // Somebody else may have the loop by now.
  if (kind === "lease_expired") throw interruption;
  // Files that another loop works on by now say nothing about this one.
  const left = withTree(kind === "files" ? null : await treeNow(ctx));
  await ctx.recorder.record((state): LoopEvent[] => {
    const cut = left(interrupted(execution, action, message, CAUSES[kind]));
    if (kind !== "signal" || ctx.options.onAbort === "release" || state.status !== "running")
      return [cut];
    return [cut, { type: "loop.paused", at: nowOf(ctx), reason: message }];
  });
}

/**
 * The first wait that nobody told the end of; it doubles with each further one of the same action, up to the longest.
 * Up to a quarter more keeps loops that were stopped at the same moment from coming back at the same moment.
 */
const SHORTEST_MS = 30_000;
const LONGEST_MS = 15 * 60 * 1000;
const JITTER = 0.25;

/**
 * Interrupts the action and lets the loop wait, or (`waiting` null) begins the action again at once. A loop that was
 * paused or ended meanwhile does not wait.
 */
export async function recordWait(
  execution: Execution,
  action: RunnableAction,
  reason: string,
  cause: "question" | "usage_limit",
  waiting: Waiting | null,
  also: readonly LoopEvent[] = [],
): Promise<void> {
  const { ctx } = execution;
  const left = withTree(await treeNow(ctx));
  await ctx.recorder.record((state): LoopEvent[] => {
    const cut = [left(interrupted(execution, action, reason, cause)), ...also];
    if (state.status !== "running" || waiting === null) return cut;
    return [...cut, { type: "waiting.started", at: nowOf(ctx), waiting }];
  });
}

/**
 * A usage limit or a rate limit: the same action goes on when it is lifted; at once where the operator named an agent that
 * goes on while another one is at its usage limit.
 */
export async function recordLimit(
  execution: Execution,
  action: RunnableAction,
  error: LoopError,
): Promise<void> {
  const { ctx, state } = execution;
  const since = nowOf(ctx);
  const waits = (state.action?.limited ?? 0) + 1;
  const until = untilOf(error, since, waits, ctx.deps.random());
  const fallback = error.code === "usage_limit" ? state.settings?.fallback : undefined;
  const agent = ctx.sessions.name ?? ownAgent(state);
  const isOver = fallback === undefined || agent === fallback || isLimited(state, fallback, since);
  const instead = isOver || !ctx.sessions.isUsable(fallback) ? {} : { instead: fallback };
  const limited: LoopEvent = { type: "agent.limited", at: since, agent, until, ...instead };
  const waiting: Waiting = {
    kind: "usage_limit",
    since,
    prompt: error.message,
    until: isOver ? firstLifted(state, since, until) : until,
  };
  const behind = fallback === undefined ? [] : [limited];
  await recordWait(
    execution,
    action,
    error.code,
    "usage_limit",
    "instead" in instead ? null : waiting,
    behind,
  );
}

/** When the first of the loop's agents works again, `until` at the latest. */
function firstLifted({ agents = {} }: LoopState, since: string, until: string): string {
  const times = Object.values(agents).flatMap(({ limited_until }) => limited_until ?? []);
  const coming = times.filter((time) => Date.parse(time) > Date.parse(since));
  return coming.reduce((a, b) => (Date.parse(b) < Date.parse(a) ? b : a), until);
}

/**
 * When to try again. A reset time that did not help once is not believed alone; a rate limit is over soon, and a usage
 * limit that nobody told the end of is not.
 */
function untilOf(error: LoopError, since: string, waits: number, random: number): string {
  const resetsAt = Timestamp.safeParse(error.details.resets_at).data;
  if (error.code === "usage_limit" && waits === 1 && resetsAt !== undefined) return resetsAt;
  const unknown = error.code === "usage_limit" && resetsAt === undefined;
  const shortest = unknown ? LONGEST_MS : Math.min(LONGEST_MS, SHORTEST_MS * 2 ** (waits - 1));
  const backoff = Math.round(shortest * (1 + JITTER * random));
  const earliest = new Date(Date.parse(since) + backoff).toISOString();
  return resetsAt !== undefined && resetsAt > earliest ? resetsAt : earliest;
}
