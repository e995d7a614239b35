import { ERROR_CODES, type ErrorCode } from "../errors.ts";
import type { LoopState } from "../state/loop-state.ts";

/** Outcome codes that name a bound; their exit code is 3 (DESIGN §8). */
export const LIMIT_OUTCOMES: readonly string[] = [
  "max_iterations",
  "max_duration",
  "max_turns",
  "budget_exhausted",
  "consecutive_failures",
  "no_progress",
];

/** The process exit code that tells how this loop stands: 0 completed, 1 failed, 3 limit, 4 a person, 5 agent, 75 usage limit. */
export function exitCodeOf(state: LoopState): number {
  if (state.status === "completed") return 0;
  if (state.status === "running" && state.waiting?.kind === "usage_limit") return 75;
  if (state.status !== "failed") return 4;
  const code = state.outcome?.code ?? "";
  if (LIMIT_OUTCOMES.includes(code)) return 3;
  return code in ERROR_CODES ? ERROR_CODES[code as ErrorCode].exit : 1;
}
