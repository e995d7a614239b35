import type { Size } from "../../src/components/line.ts";

/** What screens are made for: the usual terminal, a large one, and the smallest. */
export const SIZES = [
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
  { columns: 60, rows: 16 },
] as const satisfies readonly Size[];
