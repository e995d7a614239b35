import type { Tone } from "@ccw-loop/view";
import { Box } from "ink";
import { type Line, line, type Size, type Span, span } from "./line.ts";
import { TextLine } from "./text.tsx";

/** Eighths of a row. */
const LEVELS = " ▁▂▃▄▅▆▇█";

/** A column of a chart is repeated up to so often where there is room. */
const WIDEST_BAR = 4;

/** Values from 0 to `top` as bars of so many rows beside each other, the newest last; as many as there are columns for. */
export function bars(values: readonly number[], top: number, { columns, rows }: Size): string[] {
  const wide = Math.min(WIDEST_BAR, Math.floor(columns / Math.max(1, values.length)));
  const each = rows === 1 ? 1 : Math.max(1, wide);
  const heights = values.slice(-columns).map((value) => {
    const share = top <= 0 ? 0 : Math.min(1, Math.max(0, value / top));
    return 1 + Math.round(share * (rows * 8 - 1));
  });
  return Array.from({ length: rows }, (_, row) => {
    const below = (rows - 1 - row) * 8;
    return heights
      .map((height) => LEVELS.charAt(Math.min(8, Math.max(0, height - below))).repeat(each))
      .join("");
  });
}

interface Course {
  name: string;
  values: readonly number[];
  top: number;
  /** How it stands now. */
  now: string;
}

/** How a value went: on one row with its name, or as a chart below it. */
export function courseLines({ name, values, top, now }: Course, { columns, rows }: Size): Line[] {
  const label = `${name}  `;
  if (rows === 1) {
    const room = Math.max(3, Math.min(24, columns - label.length - now.length - 1));
    const [row = ""] = bars(values, top, { columns: room, rows });
    return [[span(label, "quiet"), span(row, "name"), span(` ${now}`)]];
  }
  const head: Line = [span(label, "quiet"), span(now)];
  return [head, ...bars(values, top, { columns, rows }).map((row) => line(row, "name"))];
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
