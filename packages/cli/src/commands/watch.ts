import { exitCodeOf, type LiveEvent, type LoopState } from "@ccw-loop/core";
import { progressSoFar } from "@ccw-loop/view";
import type { Answer, Streamed } from "../answer.ts";
import type { Context } from "../context.ts";
import { exitCodeFor, listen } from "../interrupts.ts";
import { outcomeData, outcomeText } from "../views/outcome.ts";
import { openView } from "../views/view.ts";

/** Follows a loop that somebody else drives until it ends; changes nothing. */
export async function watch(
  context: Context,
  id: string,
  flags: { events?: true },
): Promise<Answer | Streamed> {
  const loops = await context.parts.loops();
  let state = await loops.get(id);
  const after = state.revision ?? 0;
  const view = openView(context, await progressSoFar(loops, state), flags);
  using interrupts = listen(context.io, {});
  const done = new AbortController();
  try {
    if (!hasEnded(state)) {
      const signal = AbortSignal.any([interrupts.signal, done.signal]);
      for await (const event of loops.watch(id, { after, signal })) {
        view.event(event);
        if (mayEnd(event)) state = await loops.get(id);
        if (hasEnded(state)) break;
      }
    }
  } finally {
    done.abort();
    view.close();
  }
  state = await loops.get(id);
  const exit = interrupts.first ? exitCodeFor(interrupts.first) : exitCodeOf(state);
  if (flags.events) return { streamed: true, exit };
  const text = outcomeText(state, context);
  return { data: outcomeData(state, context), text, exit };
}

function mayEnd(event: LiveEvent): boolean {
  return event.kind === "recorded" && event.recorded.event.type.startsWith("loop.");
}

function hasEnded({ status }: LoopState): boolean {
  return status === "completed" || status === "failed" || status === "user_exit";
}
