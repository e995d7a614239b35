import { z } from "zod";
import { limit } from "../state/bounds.ts";
import type { LoopState } from "../state/loop-state.ts";
import { fields } from "./markdown.ts";

/** What the documents say about the loop itself, beside its `skill_state`; all that recovery can know of it. */
export const LoopFacts = z.object({
  loop_id: z.string(),
  title: z.string(),
  description: z.string(),
  created_at: z.string(),
  max_iterations: limit("max_iterations"),
});
export type LoopFacts = z.infer<typeof LoopFacts>;

export function loopFacts(state: LoopState): LoopFacts {
  const { loop_id, title, description, created_at, max_iterations } = state;
  return { loop_id, title, description, created_at, max_iterations };
}

/** The task in the operator's words: the description, or the title where there is none. */
export function taskOf(state: LoopState): string {
  return state.description.trim() || state.title;
}

/** The first lines of every document. */
export function heading(state: LoopState, more: Readonly<Record<string, string>> = {}): string {
  return fields({
    "Loop ID": state.loop_id,
    Task: taskOf(state),
    Started: state.created_at,
    ...more,
  });
}
