import stringWidth from "string-width";
import type { Paint, Tone } from "./paint.ts";
import { sanitizeLine, sanitizeText } from "./sanitize.ts";

export interface Row {
  tone: Tone;
  cells: readonly string[];
}

const GAP = "  ";

/** Columns side by side; the last one gives way when `columns` is known and too small. */
export function table(
  head: readonly string[],
  rows: readonly Row[],
  { columns, paint }: { columns: number | undefined; paint: Paint },
): string[] {
  const lines = [{ tone: "quiet" as const, cells: head }, ...rows].map(({ tone, cells }) => ({
    tone,
    cells: cells.map((cell) => sanitizeLine(cell)),
  }));
  const widths = head.map((_, i) => Math.max(...lines.map(({ cells }) => widthOf(cells[i] ?? ""))));
  return lines.map(({ tone, cells }) => {
    const text = cells
      .map((cell, i) => pad(cell, widths[i] ?? 0))
      .join(GAP)
      .trimEnd();
    return paint(tone, columns === undefined ? text : truncateToWidth(text, columns));
  });
}

export type NamedRow = readonly [string, readonly string[]];

/**
 * Names with their values below each other: `Tests      12 passed`, whatever a value contains. A name without
 * values is left out.
 */
export function namedRows(rows: readonly NamedRow[], paint: Paint): string[] {
  const shown = rows.filter(([, values]) => values.length > 0);
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.flatMap(([name, values]) =>
    values.map(
      (value, i) => `  ${paint("quiet", (i === 0 ? name : "").padEnd(width))}  ${oneLine(value)}`,
    ),
  );
}

/** On one line, with its own spaces: a value may be the row of a table. */
function oneLine(value: string): string {
  return sanitizeText(value)
    .replaceAll(/\s*[\n\t]\s*/g, " ")
    .trimEnd();
}

/** Made when the first text is cut that needs it: what the system reads for it takes ten milliseconds. */
let segmenter: Intl.Segmenter | undefined;

/** Characters that take one column each, whatever stands beside them: most text, and what frames are drawn with. */
const NARROW =
  /^[\x20-\x7E\xA0-\xAC\xAE-\u02FF\u0391-\u03A1\u03A3-\u0482\u2010-\u2027\u2190-\u21FF\u2500-\u25FC\u2714\u2716]*$/;

/** The columns that plain text takes on a terminal; wide characters take two. */
export function widthOf(text: string): number {
  // A screen measures every row of every frame, and the full answer takes a hundred times as long.
  return NARROW.test(text) ? text.length : stringWidth(text);
}

/** Plain text cut to at most `width` columns; `…` stands for what is missing. Never cuts inside a character. */
export function truncateToWidth(text: string, width: number): string {
  if (width <= 0) return "";
  if (widthOf(text) <= width) return text;
  let kept = "";
  let used = 0;
  segmenter ??= new Intl.Segmenter();
  for (const { segment } of segmenter.segment(text)) {
    const next = used + widthOf(segment);
    if (next > width - 1) break;
    kept += segment;
    used = next;
  }
  return `${kept}…`;
}

/** Plain text filled with spaces up to `width` columns. */
export function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}
