import { LoopError, limitsOf } from "@ccw-loop/core";
import type { Execution } from "../actions/action.ts";
import { Interruption } from "../run/control.ts";

/** How long an agent that was asked to converge may still take, at most. */
const CONVERGE_MS = 120_000;

/** A signal for a piece of work and its timers; `close` when the work is over. */
export interface Deadline {
  signal: AbortSignal;
  /** Ends the work for another reason. */
  abort: (reason: unknown) => void;
  close: () => void;
}

/** Aborts with the loop's Interruption, or with one of its own when the loop's working time is used up. */
export function startDeadline(execution: Execution): Deadline {
  return timed(execution).deadline;
}

/**
 * The same for one turn, which also ends with `agent_timeout` when it is over its time, after one request to
 * converge.
 */
export function startTurnDeadline(execution: Execution, converge: () => Promise<void>): Deadline {
  const { deadline, after } = timed(execution);
  const { turn_timeout_ms: turnMs } = limitsOf(execution.state);
  void after(turnMs, async () => {
    // An agent that hangs may not answer this either.
    converge().catch(() => undefined);
    await after(Math.min(CONVERGE_MS, turnMs / 4), () => {
      const minutes = Math.round(turnMs / 6000) / 10;
      const text = `The agent's turn took longer than ${minutes} minutes and did not end when asked to.`;
      deadline.abort(new LoopError("agent_timeout", text));
    });
  });
  return deadline;
}

function timed({ ctx, state, activeMs }: Execution) {
  const abort = new AbortController();
  const timers = new AbortController();
  const outer = ctx.control.signal;
  const cut = () => abort.abort(outer.reason);
  if (outer.aborted) cut();
  outer.addEventListener("abort", cut, { once: true, signal: timers.signal });

  const after = async (ms: number, then: () => Promise<void> | void) => {
    await ctx.deps.clock.sleep(ms, timers.signal);
    if (!timers.signal.aborted && !abort.signal.aborted) await then();
  };
  const usedMs = (state.usage?.active_ms ?? 0) + activeMs();
  void after(Math.max(0, limitsOf(state).max_duration_ms - usedMs), () => {
    abort.abort(new Interruption("limit", "The loop's working time is used up."));
  });
  const deadline: Deadline = {
    signal: abort.signal,
    abort: (reason) => abort.abort(reason),
    close: () => timers.abort(),
  };
  return { deadline, after };
}
