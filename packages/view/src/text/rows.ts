import { sanitizeText } from "./inert-text.ts";
import type { Paint } from "./paint.ts";

/** A name and its values. */
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
