import { fitsTest, type LoopState, type Menu, type MenuChoice, type Missing } from "@ccw-loop/core";
import { firstLines, pad, sanitizeLine, statusLines } from "@ccw-loop/view";
import type { Context } from "../runtime/context.ts";
import { ask, type Reply } from "../runtime/prompt.ts";

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

/** As many are numbered on the screen; a part of a name reaches the others too. */
const SHOWN = 20;

/** The patterns of the tests that need not pass, or why there are none. */
export type RedReply =
  | { known: string[] }
  | { known: null; why: Extract<Reply, { text: null }>["why"] };

/** What is red, with the numbers to answer with. */
export function redLines(red: readonly string[]): string[] {
  const width = String(Math.min(red.length, SHOWN)).length;
  const is = red.length === 1 ? "1 test is" : `${red.length} tests are`;
  return [
    "",
    `${is} red before any change:`,
    "",
    ...firstLines(
      red.map((id, i) => `  ${String(i + 1).padStart(width)}  ${sanitizeLine(id)}`),
      SHOWN,
    ).map((line) => (line.startsWith("…") ? `  ${line}` : line)),
    "",
    "The loop has to make all of them pass. To except some, give their numbers (1 3-5) or a part of their names.",
  ];
}

/**
 * The patterns that a line means: none for an empty one, those of the numbered tests, or the line itself where it fits a
 * test; undefined for anything else.
 */
export function knownRedOf(red: readonly string[], line: string): string[] | undefined {
  const text = line.trim();
  if (text === "") return [];
  if (/^[\d\s,-]+$/.test(text)) {
    const numbers = numbersOf(text, Math.min(red.length, SHOWN));
    return numbers?.map((n) => patternOf(red, red[n - 1] ?? ""));
  }
  return red.some((id) => fitsTest(text, id)) ? [text] : undefined;
}

/** Asks until the line means something; Enter leaves all of them owed. */
export async function askKnownRed(
  context: Context,
  red: readonly string[],
  signal: AbortSignal,
): Promise<RedReply> {
  for (const line of redLines(red)) context.say(line);
  for (;;) {
    const reply = await ask(context.io, "Which need not pass? [none] ", signal);
    if (reply.text === null) return { known: null, why: reply.why };
    const known = knownRedOf(red, reply.text);
    if (known === undefined) {
      context.say("That is neither a number of the list nor a part of a red test's name.");
      continue;
    }
    const excepted = red.filter((id) => known.some((one) => fitsTest(one, id)));
    const owed = `Owed: ${red.length - excepted.length} of ${red.length}.`;
    const names = firstLines(excepted.map(sanitizeLine), 10).join("; ");
    context.say(names === "" ? owed : `${owed} Need not pass: ${names}`);
    return { known };
  }
}

/** `1 3-5`, also with commas; undefined where one is not from 1 to `most`. */
function numbersOf(text: string, most: number): number[] | undefined {
  const parts = text.split(/[\s,]+/).filter((part) => part !== "");
  const numbers = parts.flatMap((part) => {
    const [, from, to = from] = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(part) ?? [];
    const first = Number(from);
    const length = Number(to) - first + 1;
    return length > 0 ? Array.from({ length }, (_, i) => first + i) : [0];
  });
  return numbers.length > 0 && numbers.every((n) => n >= 1 && n <= most)
    ? [...new Set(numbers)]
    : undefined;
}

/** The test's own name; bound at its end where it is also a part of another red one's. */
function patternOf(red: readonly string[], id: string): string {
  return red.filter((one) => one.includes(id)).length === 1 ? id : `*${id}`;
}

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
