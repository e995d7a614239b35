import {
  addUsage,
  LoopError,
  type LoopState,
  limitReached,
  limitsOf,
  type TokenUsage,
} from "@ccw-loop/core";
import { type Execution, nowOf } from "../run/context.ts";
import { Interruption } from "../run/loop-watcher.ts";

/** How long an agent that was asked to converge may still take, at most. */
const CONVERGE_MS = 120_000;

/**
 * A signal for a piece of work; `close` it when that is over. It aborts with the loop's Interruption, with one of its own
 * when the loop's working time is used up, or with the reason that `abort` is given.
 */
export function startDeadline({ ctx, state, activeMs }: Execution) {
  const abort = new AbortController();
  const { signal }: { signal: AbortSignal } = abort;
  const timers = new AbortController();
  const outer = ctx.watcher.signal;
  const cut = () => abort.abort(outer.reason);
  if (outer.aborted) cut();
  outer.addEventListener("abort", cut, { once: true, signal: timers.signal });

  const after = async (ms: number, then: () => Promise<void> | void) => {
    await ctx.deps.clock.sleep(ms, timers.signal);
    if (!timers.signal.aborted && !signal.aborted) await then();
  };
  const usedMs = (state.usage?.active_ms ?? 0) + activeMs();
  void after(Math.max(0, limitsOf(state).max_duration_ms - usedMs), () => {
    abort.abort(new Interruption("limit", "The loop's working time is used up."));
  });
  return {
    signal,
    abort: (reason: unknown) => abort.abort(reason),
    /** Does something after a time, unless the work is over by then. */
    after,
    close: () => timers.abort(),
  };
}

/**
 * The same for one turn, which also ends with `agent_timeout` when it is over its time, after one request to
 * converge.
 */
export function startTurnDeadline(execution: Execution, converge: () => Promise<void>) {
  const deadline = startDeadline(execution);
  const { turn_timeout_ms: turnMs } = limitsOf(execution.state);
  void deadline.after(turnMs, async () => {
    // An agent that hangs may not answer this either.
    converge().catch(() => undefined);
    await deadline.after(Math.min(CONVERGE_MS, turnMs / 4), () => {
      const minutes = Math.round(turnMs / 6000) / 10;
      const text = `The agent's turn took longer than ${minutes} minutes and did not end when asked to.`;
      deadline.abort(new LoopError("agent_timeout", text));
    });
  });
  return deadline;
}

const RECORD_EVERY_MS = 30_000;

/** Cuts the turn off with an Interruption as soon as it has used up what the loop may use. */
export function turnUsage({ ctx, state }: Execution, abort: (reason: unknown) => void) {
  let last: TokenUsage | null = null;
  let looking = false;
  let over = false;
  let recorded: { at: number; usage: TokenUsage } | null = null;
  /** Commits the first report, and then each with much more usage than the last: a process that dies loses no more than that. */
  const record = (usage: TokenUsage) => {
    const at = ctx.deps.clock.monotonic();
    if (recorded && !isMuchMore(state, recorded.usage, usage) && at - recorded.at < RECORD_EVERY_MS)
      return;
    recorded = { at, usage };
    const event = { type: "turn.measured" as const, at: nowOf(ctx), ...usage };
    // What could not be recorded now is told again, by the next report or by the end of the turn.
    void ctx.recorder
      .record((newest) => (!over && newest.action?.interrupted === null ? [event] : null))
      .catch(() => undefined);
  };
  /** An operator may have raised the limit since the action began. */
  const lookAgain = async () => {
    const { state: newest } = await ctx.deps.store.read(ctx.id);
    const limit = last && limitReached(withTurn(ctx.recorder.upToDate(newest), last));
    if (limit) abort(new Interruption("limit", limit.message));
  };
  return {
    /** What the turn has used up to now; null while the agent has reported nothing. */
    get last() {
      return last;
    },
    /** The turn is over: what it used in the end is recorded by whoever ran it. */
    close() {
      over = true;
    },
    update(usage: TokenUsage) {
      last = usage;
      record(usage);
      if (looking || !limitReached(withTurn(ctx.recorder.upToDate(state), usage))) return;
      looking = true;
      // A failing read is handled by whoever watches the loop.
      void lookAgain()
        .catch(() => undefined)
        .finally(() => {
          looking = false;
        });
    },
  };
}

/** A fiftieth of what the loop may use at all. */
function isMuchMore(state: LoopState, before: TokenUsage, now: TokenUsage): boolean {
  const { max_tokens, max_cost_usd = Number.POSITIVE_INFINITY } = limitsOf(state);
  return (
    now.total_tokens - before.total_tokens >= max_tokens / 50 ||
    (now.cost_usd ?? 0) - (before.cost_usd ?? 0) >= max_cost_usd / 50
  );
}

/** The state as if the turn ended here: its tokens and money count, its number does not yet. */
function withTurn(state: LoopState, { total_tokens, cost_usd }: TokenUsage): LoopState {
  return { ...state, usage: addUsage(state.usage, { total_tokens, cost_usd }) };
}
