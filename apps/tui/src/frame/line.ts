import { sanitizeText, type Tone, truncateToWidth, widthOf } from "@ccw-loop/view";
import { plainEmoji } from "./steady.ts";

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

/** Spaces lay out, so they stay; every break and every tab becomes one. */
function inert(text: string): string {
  return /^[\x20-\x7E]*$/.test(text)
    ? text
    : plainEmoji(sanitizeText(text)).replaceAll(/[\n\t]/g, " ");
}

export const blank: Line = [];

/** The columns that a line takes. */
export function lineWidth(of: Line): number {
  return of.reduce((sum, { text }) => sum + widthOf(text), 0);
}

/** Exactly `columns` wide: cut with `…`, or filled with spaces. */
export function fit(of: Line, columns: number): Line {
  const spans: Span[] = [];
  let left = columns;
  for (const piece of of) {
    const width = widthOf(piece.text);
    if (width <= left) {
      spans.push(piece);
      left -= width;
      continue;
    }
    const cut = truncateToWidth(piece.text, left);
    if (cut !== "") spans.push({ ...piece, text: cut });
    left -= widthOf(cut);
    break;
  }
  return left > 0 ? [...spans, { tone: "plain", text: " ".repeat(left) }] : spans;
}

/** Exactly `size`: every line fits, missing ones are blank. */
export function fitAll(lines: readonly Line[], { columns, rows }: Size): Line[] {
  return Array.from({ length: Math.max(0, rows) }, (_, i) => fit(lines[i] ?? blank, columns));
}

/** The same line in one look, the selected one: colors the other way round are a patchwork that is hard to read. */
export function selected(of: Line): Line {
  return of.map((piece) => ({ ...piece, tone: "plain", inverse: true }));
}

/** Its text alone. */
export function textOf(of: Line): string {
  return of.map(({ text }) => text).join("");
}
