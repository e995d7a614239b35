import type { LoopState } from "@ccw-loop/core";
import { isNearTheEnd } from "../commits/revision-names.ts";

/** The state of a loop that lost its history: a person looks at it before it goes on. */
export function pausedUnproven(state: LoopState): LoopState {
  if (state.status === "created") return state;
  const { outcome: _, completed_at: __, failure_reason: ___, waiting: ____, ...open } = state;
  return { ...open, status: "paused" };
}

/** What a file said and what no file can say, as a sentence. */
export function refusedText(refused: readonly string[]): string {
  return `Not taken over, because only a run by ccw-loop can know it: ${refused.join(", ")}.`;
}

/** The revision after the newest that files name. */
export function revisionAfter(told: number): number {
  return isNearTheEnd(told) ? 1 : told + 1;
}
