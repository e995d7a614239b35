import { fitsTest } from "@ccw-loop/core";
import { firstLines, sanitizeLine } from "@ccw-loop/view";
import type { Context } from "../context.ts";
import { ask, type Reply } from "../prompt.ts";

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
