import { numberLike } from "../test-text.ts";

/** A part of a text, from one place up to another, and what is to stand there. */
export interface Edit {
  from: number;
  to: number;
  text: string;
}

/** A range of a text. */
export interface Range {
  from: number;
  to: number;
}

/** A text beside the same without what is in its strings and comments, place by place. */
export interface Code {
  text: string;
  bare: string;
  /** By what a test comes to its end; undefined where only the next one ends it. */
  ends?: "bracket" | "indent" | undefined;
}

export function codeOf(text: string, quoted: RegExp, ends?: Code["ends"]): Code {
  const blank = (token: string) =>
    /^[rb]*["'`]/.test(token) ? `"${" ".repeat(token.length - 2)}"` : " ".repeat(token.length);
  return { text, bare: text.replace(quoted, blank), ends };
}

const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** Where a bracket that opens at `open` closes; null where it does not. */
export function closeOf({ bare }: Code, open: number): number | null {
  const expected: string[] = [];
  for (let at = open; at < bare.length; at += 1) {
    const sign = bare[at] as string;
    const closing = CLOSING[sign];
    if (closing !== undefined) expected.push(closing);
    else if (")]}".includes(sign) && expected.pop() !== sign) return null;
    if (expected.length === 0) return at;
  }
  return null;
}

/** The parts of a range between signs or words that stand in no bracket of their own. */
export function partsOf(code: Code, { from, to }: Range, between: RegExp): Range[] {
  const parts: Range[] = [];
  const sticky = new RegExp(between.source, "y");
  let begin = from;
  for (let at = from; at < to; at += 1) {
    if ((code.bare[at] as string) in CLOSING) at = closeOf(code, at) ?? to;
    sticky.lastIndex = at;
    const found = sticky.exec(code.bare)?.[0];
    if (found === undefined) continue;
    parts.push({ from: begin, to: at });
    begin = at + found.length;
    at = begin - 1;
  }
  return [...parts, { from: begin, to }]
    .map((part) => trimmed(code, part))
    .filter((part) => part.to > part.from);
}

function trimmed({ bare }: Code, { from, to }: Range): Range {
  const part = bare.slice(from, to);
  return { from: from + part.length - part.trimStart().length, to: from + part.trimEnd().length };
}

/** The arguments of a call whose bracket opens at `open`. */
export function argumentsOf(code: Code, open: number): Range[] {
  const to = closeOf(code, open);
  return to === null ? [] : partsOf(code, { from: open + 1, to }, /,/);
}

const NUMBER = /^-?\d+(?:\.\d+)?$/;

/**
 * Two operands, as arguments of the function that moves values. A number that is written down is wrong in the text itself, and
 * `already` says so: a source that rewrites tests while they are loaded puts its own result there, and is found by that.
 */
export function operandsOf(code: Code, one: Range, two: Range, already: string): string {
  const [first, second] = [textIn(code, one), textIn(code, two)];
  if (NUMBER.test(second)) return `${first}, ${movedNumber(second)}, ${already}`;
  if (NUMBER.test(first)) return `${movedNumber(first)}, ${second}, ${already}`;
  return `${first}, ${second}`;
}

/** The one expected value, in the same way. */
export function expectedOf(code: Code, one: Range, already: string): string {
  const text = textIn(code, one);
  return NUMBER.test(text) ? `${movedNumber(text)}, ${text}, ${already}` : text;
}

function movedNumber(text: string): string {
  const value = Number(text);
  return numberLike(text, value + Math.abs(value) + 1);
}

export const textIn = ({ text }: Code, { from, to }: Range): string => text.slice(from, to);

/**
 * How expected values are made wrong in the tests of one language. Values that the tests come to while they run are moved
 * there, by a function that is put into the text: a table, a constant and a literal are the same to it.
 */
export interface Mover {
  handles: RegExp;
  /** Strings and comments. */
  quoted: RegExp;
  /** By what a test comes to its end: its brackets, or a line that is indented no deeper. */
  ends: "bracket" | "indent";
  /** Operands of assertions of equality; `call` begins a call of the function for the assertion at a place. */
  edits(code: Code, call: (at: number) => string): Edit[];
  /** Where that function stands, and its text; `stops` are assertions in whose place `stop` happens. */
  helper?: {
    at: (code: Code) => number;
    text: (name: string, stops: readonly number[], stop: Stop) => string;
  };
}

/** What happens where a test comes to an assertion: its process ends, or the test fails and says this. */
export type Stop = { says: string } | "end";
