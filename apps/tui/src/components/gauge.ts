import type { Tone } from "@ccw-loop/view";
import { type Span, span } from "./line.ts";

const BARS = "▁▂▃▄▅▆▇█";

/** Values from 0 to `top` as one column each, the newest last; at most `columns` of them. */
export function sparkline(values: readonly number[], top: number, columns: number): string {
  return values
    .slice(-columns)
    .map((value) => {
      const share = top <= 0 ? 0 : Math.min(1, Math.max(0, value / top));
      return BARS[Math.round(share * (BARS.length - 1))];
    })
    .join("");
}

/** How much of a bound is used, as a bar: quiet, then with care from 75 %, bad from 90 %. */
export function bar(used: number, bound: number, columns: number): Span[] {
  const share = bound <= 0 ? 1 : Math.min(1, Math.max(0, used / bound));
  const full = Math.round(share * columns);
  const tone: Tone = share >= 0.9 ? "bad" : share >= 0.75 ? "warning" : "good";
  return [span("█".repeat(full), tone), span("░".repeat(columns - full), "quiet")];
}
