import type { LoopState, Menu, MenuChoice } from "@ccw-loop/core";
import { pad, sanitizeLine, statusLines } from "@ccw-loop/view";
import type { Context } from "../context.ts";
import { ask, type Reply } from "../prompt.ts";

/** What a person chose, or why there is no choice. */
export type MenuReply =
  | { choice: MenuChoice }
  | { choice: null; why: Extract<Reply, { text: null }>["why"] };

/** The choice that a line means: a digit or a name, in any case; undefined for anything else. */
export function choiceOf(menu: Menu, line: string): MenuChoice | undefined {
  const word = line.trim().toLowerCase();
  return menu.options.find(({ key }, i) => word === key || word === String(i + 1))?.key;
}

/** The menu as it stands on the screen. */
export function menuLines(menu: Menu, paint: Context["paintError"]): string[] {
  const width = Math.max(...menu.options.map(({ label }) => label.length));
  return [
    "",
    ...menu.summary.map((line) => `  ${sanitizeLine(line)}`),
    "",
    ...menu.options.map(({ label, available, hint }, i) => {
      const text = `  ${i + 1}  ${pad(label, width)}  ${sanitizeLine(hint)}`;
      return paint(available ? "plain" : "quiet", text);
    }),
    ...(menu.notice === undefined ? [] : ["", paint("warning", sanitizeLine(menu.notice))]),
  ];
}

/** Asks until the line means something. `status` is answered here: it changes nothing. */
export async function askMenu(
  context: Context,
  menu: Menu,
  state: LoopState,
  signal: AbortSignal,
): Promise<MenuReply> {
  for (const line of menuLines(menu, context.paintError)) context.say(line);
  for (;;) {
    const reply = await ask(context.io, "Choose 1-6 or a name: ", signal);
    if (reply.text === null) return { choice: null, why: reply.why };
    const choice = choiceOf(menu, reply.text);
    if (choice === undefined) {
      const names = menu.options.map(({ key }) => key).join(", ");
      context.say(`That is none of: ${names}.`);
      continue;
    }
    if (choice !== "status") return { choice };
    for (const line of statusLines(state)) context.say(line);
    for (const line of menuLines(menu, context.paintError)) context.say(line);
  }
}
