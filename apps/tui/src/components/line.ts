import {
  type NamedRow,
  pad,
  sanitizeText,
  type Tone,
  truncateToWidth,
  widthOf,
} from "@ccw-loop/view";
import wrapAnsi from "wrap-ansi";
import { graphemesOf } from "../model/field.ts";

/** A piece of a line in one look. `text` is harmless for a terminal and has no line break. */
export interface Span {
  tone: Tone;
  text: string;
  /** The other way round: what is selected, the cursor of a field. */
  inverse?: boolean;
}

/** One row of the screen. */
export type Line = readonly Span[];

/** Columns and rows of the terminal, or of a part of it. */
export interface Size {
  columns: number;
  rows: number;
}

/** A line of one look. Whatever `text` holds, the line is harmless. */
export function line(text: string, tone: Tone = "plain"): Line {
  return [span(text, tone)];
}

export function span(text: string, tone: Tone = "plain"): Span {
  return { tone, text: inert(text) };
}

/** A text that is harmless for a terminal. Spaces lay out, so they stay; every tab, and every break unless it is to stay, becomes one. */
export function inert(text: string, breaks = false): string {
  if (/^[\x20-\x7E]*$/.test(text)) return text;
  return steady(sanitizeText(text)).replaceAll(breaks ? /\t/g : /[\n\t]/g, " ");
}

export const blank: Line = [];

/** The columns that a line takes. */
export function lineWidth(of: Line): number {
  return of.reduce((sum, { text }) => sum + widthOf(text), 0);
}

/** As a cell of exactly so many columns: cut with `…`, or filled with spaces. */
export function fit(of: Line, columns: number): Line {
  const spans: Span[] = [];
  let left = columns;
  for (const piece of of) {
    const text = truncateToWidth(piece.text, left);
    if (text !== "") spans.push({ ...piece, text });
    left -= widthOf(text);
    if (text !== piece.text) break;
  }
  return left > 0 ? [...spans, { tone: "plain", text: " ".repeat(left) }] : spans;
}

/** Its text alone. */
export function textOf(of: Line): string {
  return of.map(({ text }) => text).join("");
}

/** Text over as many lines as it needs, broken between words; its own breaks and indentation stay. */
export function wrapped(text: string, columns: number, tone: Tone = "plain"): Line[] {
  const width = Math.max(1, columns);
  return steady(sanitizeText(text))
    .replaceAll("\t", "  ")
    .split("\n")
    .flatMap((one) => broken(one, width))
    .map((one) => line(one, tone));
}

/** Text over as many lines as it needs, cut wherever a line is full: code keeps its spaces. */
export function chopped(text: string, columns: number): string[] {
  if (widthOf(text) <= columns) return [text];
  const rows: string[] = [];
  let row = "";
  let used = 0;
  for (const one of graphemesOf(text)) {
    const width = widthOf(one);
    if (used + width > columns && row !== "") {
      rows.push(row);
      row = "";
      used = 0;
    }
    row += one;
    used += width;
  }
  return [...rows, row];
}

/** The same over a few rows; the last one says when there is more. */
export function wrappedTo(text: string, { columns, rows }: Size, tone: Tone): Line[] {
  const all = wrapped(text, columns, tone);
  if (all.length <= rows) return all;
  const rest = all
    .slice(rows - 1)
    .map(textOf)
    .join(" ");
  return [...all.slice(0, rows - 1), line(truncateToWidth(rest, columns), tone)];
}

function broken(text: string, columns: number): string[] {
  if (widthOf(text) <= columns) return [text];
  const indent = /^ */.exec(text)?.[0].slice(0, Math.floor(columns / 2)) ?? "";
  const rows = wrapAnsi(text.trim(), columns - indent.length, { hard: true }).split("\n");
  return rows.map((row) => indent + row);
}

/** Lines with a head before the first one, and as much room before the others. */
export function hanging(head: Line, lines: readonly Line[]): Line[] {
  const indent = span(" ".repeat(lineWidth(head)));
  return lines.map((of, i) => [...(i === 0 ? head : [indent]), ...of]);
}

export function indented(lines: readonly Line[], columns: number): Line[] {
  const indent = span(" ".repeat(columns));
  return lines.map((of) => [indent, ...of]);
}

/** Names with their values below each other, every value over as many lines as it needs. */
export function namedLines(rows: readonly NamedRow[], columns: number): Line[] {
  const shown = rows.filter(([, values]) => values.length > 0);
  const widest = Math.max(0, ...shown.map(([name]) => widthOf(name)));
  const width = Math.min(widest, Math.max(8, Math.floor(columns / 3)));
  return shown.flatMap(([name, values]) =>
    hanging(
      line(`${pad(truncateToWidth(name, width), width)}  `, "quiet"),
      values.flatMap((value) => wrapped(value, columns - width - 2)),
    ),
  );
}

/** Characters about whose columns terminals disagree: signs that are not seen themselves, skin tones, keycaps. */
const UNSTEADY =
  /\p{Default_Ignorable_Code_Point}|[\u{1F3FB}-\u{1F3FF}\u20E3\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D4D\u0DCA]/u;

/** Signs that are not seen and change the character before them at most; two join letters of many scripts. */
const UNSEEN = /(?![\u200C\u200D])\p{Default_Ignorable_Code_Point}|\u20E3/gu;
const SKIN_TONE = /(?<=\p{Extended_Pictographic})[\u{1F3FB}-\u{1F3FF}]/gu;
const JOINED = /(\p{Extended_Pictographic})(?:\u200D\p{Extended_Pictographic})+/gu;
/** Between the consonants of an Indic conjunct; it may say itself whether they join. */
const CONJUNCT =
  /([\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D4D\u0DCA])[\u200C\u200D]?(?=\p{L})/gu;

/**
 * The text with emoji in their plain form, one for a joined row of them, and with the consonants of Indic conjuncts
 * beside each other. Terminals draw the other forms in one, two or up to eight columns, and a row that is wider than
 * it was measured breaks the frame.
 */
export function steady(text: string): string {
  if (!UNSTEADY.test(text)) return text;
  return text
    .replaceAll(UNSEEN, "")
    .replaceAll(SKIN_TONE, "")
    .replaceAll(JOINED, "$1")
    .replaceAll(CONJUNCT, "$1\u200C");
}
