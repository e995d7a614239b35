import type { Tone } from "@ccw-loop/view";
import { Box } from "ink";
import { type Span, span } from "./line.ts";
import { TextLine } from "./text.tsx";

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

interface GaugeProps {
  name: string;
  used: number;
  bound: number;
  /** The figures behind the bar. */
  text: string;
  width: number;
}

/** How much of a bound is used, with its name and its figures. */
export function Gauge({ name, used, bound, text, width }: GaugeProps) {
  const columns = Math.max(3, Math.min(12, width - name.length - 3 - text.length));
  return (
    <Box width={width} flexShrink={0}>
      <TextLine of={[span(`${name} `, "quiet"), ...bar(used, bound, columns), span(` ${text}`)]} />
    </Box>
  );
}
