import type { ConfirmState } from "./state.ts";

/** Asks before a loop is stopped, wherever that is asked for. */
export function stopConfirmation({ id, title }: { id: string; title: string }): ConfirmState {
  return {
    kind: "confirm",
    question: `Stop "${title}"?`,
    details: [
      "A running turn ends at once, with every process that it started.",
      "The loop ends as failed (stopped_by_user). Its files stay, and it can be reopened.",
    ],
    verb: "stop",
    yes: [{ type: "call", call: { name: "send", id, command: { type: "stop" } } }],
  };
}
