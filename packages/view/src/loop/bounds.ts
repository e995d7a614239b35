import { type LoopState, limitsOf, stallLevelOf } from "@ccw-loop/core";

/** One bound of a loop with what is used of it, both in the bound's own unit. */
export interface Bound {
  name: "iterations" | "time" | "turns" | "tokens" | "cost" | "no progress" | "failures";
  used: number;
  bound: number;
}

/** Every bound that a loop has: time in milliseconds of work, cost in US dollars. */
export function boundsOf(state: LoopState): [Bound, ...Bound[]] {
  const { usage } = state;
  const limits = limitsOf(state);
  const cost = limits.max_cost_usd;
  return [
    { name: "iterations", used: state.current_iteration, bound: state.max_iterations },
    { name: "time", used: usage?.active_ms ?? 0, bound: limits.max_duration_ms },
    { name: "turns", used: usage?.turns ?? 0, bound: limits.max_turns },
    { name: "tokens", used: usage?.total_tokens ?? 0, bound: limits.max_tokens },
    ...(cost === undefined
      ? []
      : [{ name: "cost" as const, used: usage?.cost_usd ?? 0, bound: cost }]),
    { name: "no progress", used: stallLevelOf(state).stalled, bound: limits.max_stalled },
    {
      name: "failures",
      used: usage?.consecutive_failures ?? 0,
      bound: limits.max_consecutive_failures,
    },
  ];
}
