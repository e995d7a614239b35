import { type LoopState, summaryOf } from "@ccw-loop/core";
import type { LoopsMessage } from "@ccw-loop/view";

type Listed = Extract<LoopsMessage, { type: "listed" }>;

/** These loops as a feed reads them, all at once unless `more` says otherwise. */
export function listed(states: readonly LoopState[], more: Partial<Listed> = {}): Listed {
  const summaries = states.map((state) => summaryOf(state));
  const { length: total } = states;
  return { type: "listed", summaries, total, damaged: [], complete: true, ...more };
}
