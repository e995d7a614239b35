import { pad, type Row, TIMELINE_HEAD, table, timelineRows } from "@ccw-loop/view";
import { type Line, line, type Size, selected } from "../../frame/line.ts";
import { windowOf } from "../../frame/scroll.ts";
import { type Model, openedState } from "../../model/model.ts";
import type { TimelineState } from "./state.ts";

/** A row for each action, as `ccw-loop timeline` has them. */
export function rowsOf({ entries }: TimelineState): Row[] {
  return timelineRows(entries ?? []);
}

/** The head of the table, and the rows around the selected one. */
export function tableLines(
  screen: TimelineState,
  { columns, rows }: Size,
): { head: Line; visible: Line[]; note: string } {
  const shown = columns >= 100 ? ALL : columns >= 76 ? USUAL : FEW;
  const pick = (cells: readonly string[]) =>
    shown.map((name) => cells[TIMELINE_HEAD.indexOf(name)] ?? "");
  const all = rowsOf(screen).map(({ tone, cells }) => ({ tone, cells: pick(cells) }));
  const texts = table(shown, all, { columns, paint: (_tone, text) => text });
  const body = texts.slice(1).map((text, i): Line => {
    const of = line(pad(text, columns), all[i]?.tone);
    return i === screen.selected ? selected(of) : of;
  });
  const middle = screen.selected - Math.floor(rows / 2);
  const { lines, note } = windowOf(body, middle, rows);
  return { head: line(texts[0] ?? "", "quiet"), visible: [...lines], note };
}

type Column = (typeof TIMELINE_HEAD)[number];
const ALL: readonly Column[] = TIMELINE_HEAD;
const USUAL: readonly Column[] = ["#", "TIME", "ACTION", "OUTCOME", "FILES", "TESTS", "MESSAGE"];
const FEW: readonly Column[] = ["#", "ACTION", "OUTCOME", "FILES", "TESTS"];

/** The checkpoints that the selected action lies between; undefined when there is none behind it any more. */
export function rangeOf(
  { entries, selected: at }: TimelineState,
  model: Model,
): { from: number; to: number } | undefined {
  const to = entries?.[at]?.checkpoint ?? null;
  const numbers = (openedState(model)?.checkpoints ?? []).map(({ n }) => n);
  const from = to === null ? undefined : numbers.findLast((n) => n < to);
  return to === null || from === undefined || !numbers.includes(to) ? undefined : { from, to };
}
