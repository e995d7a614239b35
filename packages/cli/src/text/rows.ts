import { inertLine } from "./inert-text.ts";
import type { Paint } from "./paint.ts";

/**
 * Names with their values below each other: `Tests      12 passed`, whatever a value contains. A name without
 * values is left out.
 */
export function namedRows(rows: readonly [string, readonly string[]][], paint: Paint): string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.flatMap(([name, values]) =>
    values.map(
      (value, i) => `  ${paint("quiet", (i === 0 ? name : "").padEnd(width))}  ${inertLine(value)}`,
    ),
  );
}
