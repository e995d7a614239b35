import type { Missing } from "@ccw-loop/core";
import { sanitizeLine } from "@ccw-loop/view";
import type { Context } from "../context.ts";
import { ask, type Reply } from "../prompt.ts";

/** Whether the command may be run, or why nobody said. */
export type SetupReply =
  | { yes: boolean }
  | { yes: null; why: Extract<Reply, { text: null }>["why"] };

/** Asks whether the commands that bring what the tests need may be run; Enter is yes. */
export async function askSetup(
  context: Context,
  missing: readonly Missing[],
  signal: AbortSignal,
): Promise<SetupReply> {
  context.say("");
  context.say("The tests cannot be run here:");
  for (const { message, command } of missing) {
    context.say(`  ${sanitizeLine(message)} ${sanitizeLine(command ?? "")}`.trimEnd());
  }
  for (;;) {
    const reply = await ask(context.io, "Run that now? [Y/n] ", signal);
    if (reply.text === null) return { yes: null, why: reply.why };
    const answer = reply.text.trim().toLowerCase();
    if (["", "y", "yes"].includes(answer)) return { yes: true };
    if (["n", "no"].includes(answer)) return { yes: false };
    context.say("Answer y or n.");
  }
}
