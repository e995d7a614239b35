import {
  type NamedRow,
  pad,
  sanitizeText,
  type Tone,
  truncateToWidth,
  widthOf,
} from "@ccw-loop/view";
import wrapAnsi from "wrap-ansi";
import { type Line, line, type Size, span, textOf } from "./line.ts";

/** Text over as many lines as it needs, broken between words; its own breaks and indentation stay. */
export function wrapped(text: string, columns: number, tone: Tone = "plain"): Line[] {
  const width = Math.max(1, columns);
  return sanitizeText(text)
    .replaceAll("\t", "  ")
    .split("\n")
    .flatMap((one) => broken(one, width))
    .map((one) => line(one, tone));
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

/** Names with their values below each other, every value over as many lines as it needs. */
export function namedLines(rows: readonly NamedRow[], columns: number): Line[] {
  const shown = rows.filter(([, values]) => values.length > 0);
  const widest = Math.max(0, ...shown.map(([name]) => widthOf(name)));
  const width = Math.min(widest, Math.max(8, Math.floor(columns / 3)));
  return shown.flatMap(([name, values]) =>
    values
      .flatMap((value) => wrapped(value, columns - width - 2))
      .map((of, i): Line => [span(fitted(i === 0 ? name : "", width), "quiet"), ...of]),
  );
}

function fitted(name: string, width: number): string {
  return `${pad(truncateToWidth(name, width), width)}  `;
}
