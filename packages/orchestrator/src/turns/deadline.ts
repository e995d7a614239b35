import { type DEFAULT_LIMITS, type Limits, LoopError } from "@ccw-loop/core";
import type { RunContext } from "../run/context.ts";
import { Interruption } from "../run/control.ts";

/** How long an agent that was asked to converge may still take, at most. */
const CONVERGE_MS = 120_000;

/**
 * The signal of one turn: aborts with the loop's Interruption, with `agent_timeout` when the turn is over
 * its time (after one request to converge), or with an Interruption when the loop's working time is used up.
 */
export function startDeadline(
  ctx: RunContext,
  limits: Limits & typeof DEFAULT_LIMITS,
  usedMs: number,
  converge: () => Promise<void>,
): { signal: AbortSignal; close: () => void } {
  const abort = new AbortController();
  const timers = new AbortController();
  const { clock } = ctx.deps;
  const outer = ctx.control.signal;
  const cut = () => abort.abort(outer.reason);
  if (outer.aborted) cut();
  outer.addEventListener("abort", cut, { once: true, signal: timers.signal });

  const after = async (ms: number, then: () => Promise<void> | void) => {
    await clock.sleep(ms, timers.signal);
    if (!timers.signal.aborted && !abort.signal.aborted) await then();
  };
  const turnMs = limits.turn_timeout_ms;
  void after(turnMs, async () => {
    await converge().catch(() => undefined);
    await after(Math.min(CONVERGE_MS, turnMs / 4), () => {
      const minutes = Math.round(turnMs / 6000) / 10;
      const text = `The agent's turn took longer than ${minutes} minutes and did not end when asked to.`;
      abort.abort(new LoopError("agent_timeout", text));
    });
  });
  void after(Math.max(0, limits.max_duration_ms - usedMs), () => {
    abort.abort(new Interruption("limit", "The loop's working time is used up."));
  });
  return { signal: abort.signal, close: () => timers.abort() };
}
