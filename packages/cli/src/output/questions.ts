import {
  fitsTest,
  type LoopCommand,
  type LoopState,
  type Menu,
  type MenuChoice,
  type Missing,
  type Waiting,
} from "@ccw-loop/core";
import {
  answerOf,
  firstLines,
  pad,
  sanitizeLine,
  sanitizeText,
  statusLines,
  textFor,
} from "@ccw-loop/view";
import type { Context } from "../runtime/context.ts";
import { type Answered, ask } from "../runtime/prompt.ts";

/** Asks until `parse` makes something of the line. */
export async function askUntil<T>(
  context: Context,
  prompt: string,
  parse: (line: string) => T | undefined,
  complaint: string | undefined,
  signal: AbortSignal,
): Promise<Answered<T>> {
  for (;;) {
    const reply = await ask(context.io, prompt, signal);
    if (reply.why !== null) return reply;
    const value = parse(reply.value);
    if (value !== undefined) return { value, why: null };
    if (complaint !== undefined) context.say(complaint);
  }
}

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

/** Asks for the next action. `status` is answered here: it changes nothing. */
export async function askMenu(
  context: Context,
  menu: Menu,
  state: LoopState,
  signal: AbortSignal,
): Promise<Answered<MenuChoice>> {
  const complaint = `Unknown choice. Choose one of: ${menu.options.map(({ key }) => key).join(", ")}.`;
  const parse = (line: string) => choiceOf(menu, line);
  for (;;) {
    for (const line of menuLines(menu, context.paintError)) context.say(line);
    const reply = await askUntil(context, "Choose 1-6 or a name: ", parse, complaint, signal);
    if (reply.value !== "status") return reply;
    for (const line of statusLines(state)) context.say(line);
  }
}

/** Asks what a loop waits for: one of the options, a text, or first one and then the other where an option takes a text. */
export async function askWaiting(
  context: Context,
  waiting: Waiting,
  signal: AbortSignal,
): Promise<Answered<Extract<LoopCommand, { type: "answer" }>>> {
  const { options, prompt, kind } = waiting;
  context.say(sanitizeText(prompt ?? `The loop waits for ${kind}.`));
  const line = (name: string, parse: (given: string) => boolean) => {
    const read = (given: string) => (parse(given.trim()) ? given.trim() : undefined);
    return askUntil(context, sanitizeText(`${name}: `), read, undefined, signal);
  };
  const chosen =
    options && (await line(`Answer (${options.join(", ")})`, (name) => options.includes(name)));
  if (chosen && chosen.why !== null) return chosen;
  const option = chosen?.value;
  const wanted = option === undefined ? "Answer" : textFor(option, waiting);
  if (wanted === undefined) return { value: answerOf(waiting, option, ""), why: null };
  const typed = await line(wanted, (text) => text !== "");
  if (typed.why !== null) return typed;
  return { value: answerOf(waiting, option, typed.value), why: null };
}

/** As many are numbered on the screen; a part of a name reaches the others too. */
const SHOWN = 20;

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

/** Asks for the patterns of the tests that need not pass; Enter leaves all of them owed. */
export async function askKnownRed(
  context: Context,
  red: readonly string[],
  signal: AbortSignal,
): Promise<Answered<string[]>> {
  for (const line of redLines(red)) context.say(line);
  const complaint = "That is neither a number of the list nor a part of a red test's name.";
  const parse = (line: string) => knownRedOf(red, line);
  const reply = await askUntil(context, "Which need not pass? [none] ", parse, complaint, signal);
  if (reply.why !== null) return reply;
  const { value } = reply;
  const excepted = red.filter((id) => value.some((one) => fitsTest(one, id)));
  const owed = `${red.length - excepted.length} of ${red.length} tests must pass.`;
  const names = firstLines(excepted.map(sanitizeLine), 10).join("; ");
  context.say(names === "" ? owed : `${owed} Need not pass: ${names}`);
  return reply;
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

/** Asks whether the commands that bring what the tests need may be run; Enter is yes. */
export async function askSetup(
  context: Context,
  missing: readonly Missing[],
  signal: AbortSignal,
): Promise<Answered<boolean>> {
  context.say("");
  context.say("The tests cannot be run here:");
  for (const { message, command } of missing) {
    context.say(`  ${sanitizeLine(message)} ${sanitizeLine(command ?? "")}`.trimEnd());
  }
  const parse = (line: string) => {
    const answer = line.trim().toLowerCase();
    if (["", "y", "yes"].includes(answer)) return true;
    return ["n", "no"].includes(answer) ? false : undefined;
  };
  return askUntil(context, "Run that now? [Y/n] ", parse, "Answer y or n.", signal);
}
