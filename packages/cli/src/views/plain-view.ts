import { type Fact, factOf, type Progress, progressed } from "@ccw-loop/view";
import type { Context } from "../context.ts";
import { endHint } from "./outcome.ts";
import type { View } from "./view.ts";

/** One line per fact on stderr, with its time. */
export function plainView(context: Context, soFar: Progress): View {
  let progress = soFar;
  return {
    event(event) {
      progress = progressed(progress, event);
      const fact = factOf(event, progress);
      if (!fact) return;
      const text = endHint(progress.state, fact.text, context.hint);
      context.say(factLine({ ...fact, text }, context));
    },
    suspend: () => undefined,
    resume: () => undefined,
    close: () => undefined,
  };
}

/** `2026-01-22T10:00:05Z DEVELOP started, task 1/3: …`. */
export function factLine(fact: Fact, { paintError }: Pick<Context, "paintError">): string {
  const time = `${new Date(fact.at).toISOString().slice(0, 19)}Z`;
  return `${paintError("quiet", time)} ${paintError(fact.tone, fact.text)}`;
}
