import { applyEvent, type LogEntry, logEntryOf, type Progress } from "@ccw-loop/view";
import type { Context } from "../context.ts";
import { outcomeHint } from "./outcome.ts";
import type { View } from "./view.ts";

/** One line per fact on stderr, with its time. */
export function plainView(context: Context, soFar: Progress): View {
  let progress = soFar;
  return {
    event(event) {
      progress = applyEvent(progress, event);
      const fact = logEntryOf(event, progress);
      if (!fact) return;
      const text = outcomeHint(progress.state, fact.text, context.hint);
      context.say(factLine({ ...fact, text }, context));
    },
    suspend: () => undefined,
    resume: () => undefined,
    close: () => undefined,
  };
}

/** `2026-01-22T10:00:05Z DEVELOP started, task 1/3: …`. */
export function factLine(fact: LogEntry, { paintError }: Pick<Context, "paintError">): string {
  const time = `${new Date(fact.at).toISOString().slice(0, 19)}Z`;
  return `${paintError("quiet", time)} ${paintError(fact.tone, fact.text)}`;
}
