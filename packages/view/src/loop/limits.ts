import {
  dollars,
  type LoopState,
  limitsOf,
  type RecordedEvent,
  stallLevelOf,
  taskCommand,
  tasksOf,
  type Usage,
} from "@ccw-loop/core";
import { formatDuration } from "../text/amounts.ts";

/** What a loop has used: `3m 20s of work, 12 turns, 48000 tokens, $0.42`. */
export function usedText({ active_ms, turns, total_tokens, cost_usd }: Usage): string {
  return [
    `${formatDuration(active_ms)} of work`,
    `${turns} turns`,
    ...(total_tokens > 0 ? [`${total_tokens} tokens`] : []),
    ...(cost_usd === undefined ? [] : [dollars(cost_usd)]),
  ].join(", ");
}

/** Every bound with what is used of it, a line each. */
export function limitLines(state: LoopState): string[] {
  const limits = limitsOf(state);
  const { usage } = state;
  const { stalled } = stallLevelOf(state);
  const cost = limits.max_cost_usd;
  const hasCommands = tasksOf(state).some((task) => taskCommand(task) !== null);
  return [
    `${state.current_iteration} of ${state.max_iterations} iterations`,
    `${formatDuration(usage?.active_ms ?? 0)} of ${formatDuration(limits.max_duration_ms)} of work`,
    `${usage?.turns ?? 0} of ${limits.max_turns} turns, ${formatDuration(limits.turn_timeout_ms)} each`,
    ...(hasCommands ? [`${formatDuration(limits.task_timeout_ms)} for each bash task`] : []),
    `${usage?.total_tokens ?? 0} of ${limits.max_tokens} tokens`,
    moneyLine(cost, usage),
    `${stalled} of ${limits.max_stalled} iterations without progress`,
    `${usage?.consecutive_failures ?? 0} of ${limits.max_consecutive_failures} failures in a row`,
  ];
}

function moneyLine(bound: number | undefined, usage: Usage | undefined): string {
  if (bound === undefined) return "no bound on money; set one with --max-cost";
  const told = usage?.cost_usd !== undefined || (usage?.turns ?? 0) === 0;
  const of = `${dollars(usage?.cost_usd)} of ${dollars(bound)}`;
  return told ? of : `${of}, but the agent does not tell what it costs`;
}

/** US dollars that were spent up to the end of each turn, of those whose agent tells what they cost. */
export function spentByTurn(recorded: Iterable<RecordedEvent>): number[] {
  const sums: number[] = [];
  for (const { event } of recorded) {
    if (event.type !== "turn.completed" || event.cost_usd === undefined) continue;
    sums.push((sums.at(-1) ?? 0) + event.cost_usd);
  }
  return sums;
}
