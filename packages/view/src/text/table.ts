import { sanitizeLine } from "./inert-text.ts";
import type { Paint, Tone } from "./paint.ts";
import { pad, truncateToWidth, widthOf } from "./width.ts";

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
