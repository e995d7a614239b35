import { openIdeas, type Progress } from "@ccw-loop/view";
import type { Size } from "../../components/line.ts";
import type { Model } from "../../model/model.ts";
import type { LoopScreenState } from "../../model/screen-states.ts";
import { bodyOf } from "../../model/scroll.ts";
import { type HeaderRoom, headerRows } from "./header.tsx";
import { type LoadedLoop, loadedLoop } from "./panes/pane.ts";
import { PANES, paneLines } from "./panes/panes.ts";

/** Header and panes in that room. */
export function arrangePanes(
  screen: LoopScreenState,
  model: Model,
  shown: LoadedLoop,
  { columns, rows }: Size,
): { header: HeaderRoom; layout: Layout } {
  const header = { columns, roomy: rows >= 18, zoomed: screen.zoomed };
  const { now } = model;
  const wanted = (pane: string) => paneLines(pane, shown, { columns, whole: false, now }).length;
  const above = headerRows(shown.progress, model, header);
  const room = { columns, rows: rows - above };
  return { header, layout: layoutOf(screen, shown.progress, room, wanted) };
}

/** The pane with the keys, as it is on the screen now; the inner size, without its frame. */
export function focusedPane(screen: LoopScreenState, model: Model): Size & { whole: boolean } {
  const shown = loadedLoop(model);
  const body = bodyOf(model.size);
  const { layout } = shown ? arrangePanes(screen, model, shown, body) : { layout: [] };
  const placed = layout.flat(2).find(({ pane }) => pane === screen.focus);
  return { ...innerOf(screen, placed ?? { ...body, pane: screen.focus }), whole: isWhole(layout) };
}

/** What a pane shows beside its frame; a search takes a row of the agent's. */
export function innerOf(screen: LoopScreenState, { pane, columns, rows }: Placed): Size {
  const search = pane === "agent" && searches(screen) ? 1 : 0;
  return { columns: Math.max(1, columns - 2), rows: Math.max(1, rows - 2 - search) };
}

/** A pane alone on the screen tells everything. */
export function isWhole(layout: Layout): boolean {
  return layout.flat(2).length === 1;
}

export function searches({ searching, search }: LoopScreenState): boolean {
  return searching || search.text !== "";
}

/** A pane with the rows and columns of its frame. */
export interface Placed extends Size {
  pane: string;
}

/** Bands below each other, of columns beside each other, of panes below each other. */
export type Layout = readonly (readonly (readonly Placed[])[])[];

/** How much a pane has to show, in lines. */
type Wanted = (pane: string) => number;

/** Where the panes of a loop are in the room below its header. What has no room is a tab away. */
function layoutOf(screen: LoopScreenState, progress: Progress, room: Size, wanted: Wanted): Layout {
  const { columns, rows } = room;
  const one: Layout = [[[{ pane: screen.focus, columns, rows }]]];
  if (screen.zoomed || columns < 80 || rows < 12) return one;
  return columns >= 110 && rows >= 24
    ? sideBySide(room, wanted)
    : stacked(screen, progress, room, wanted);
}

/** On a large screen: everything on the left, the agent on the right. */
function sideBySide({ columns, rows }: Size, wanted: Wanted): Layout {
  const left = Math.floor(columns * 0.42);
  const panes = ["steps", ...Object.keys(PANES).filter((name) => name !== "steps")];
  const heights = distributeRows(
    panes.map((pane) => wanted(pane) + 2),
    rows,
  );
  return [
    [
      panes.map((pane, i) => ({ pane, columns: left, rows: heights[i] ?? 3 })),
      [{ pane: "agent", columns: columns - left, rows }],
    ],
  ];
}

/** On a usual one: the tasks and what is of interest beside them, the agent below. */
function stacked(
  screen: LoopScreenState,
  progress: Progress,
  { columns, rows }: Size,
  wanted: Wanted,
): Layout {
  const shown: string[] = [
    "tasks",
    ...besideTasks(screen, progress).slice(0, columns >= 105 ? 2 : 1),
  ];
  const need = Math.max(...shown.map(wanted)) + 2;
  const upper = Math.max(5, Math.min(need, Math.floor(rows * 0.48)));
  const each = Math.floor(columns / shown.length);
  const first = columns - each * (shown.length - 1);
  return [
    shown.map((pane, i) => [{ pane, columns: i === 0 ? first : each, rows: upper }]),
    [[{ pane: "agent", columns, rows: rows - upper }]],
  ];
}

/** The panes that may stand beside the tasks, the most interesting first. */
function besideTasks({ beside }: LoopScreenState, { state }: Progress): string[] {
  const debugs = state.action?.name === "DEBUG" || openIdeas(state).length > 0;
  const tested = (state.receipts ?? []).length > 0;
  const usual: string[] = debugs
    ? ["ideas", "tests", "steps"]
    : tested
      ? ["tests", "steps", "ideas"]
      : ["steps", "tests", "ideas"];
  return beside === null ? usual : [beside, ...usual.filter((pane) => pane !== beside)];
}

const LEAST = 4;

/** Rows for each that add up to `total`: what it wants where that fits, else the largest give way. */
function distributeRows(wants: readonly number[], total: number): number[] {
  const given = wants.map((want) => Math.max(LEAST, want));
  const sum = () => given.reduce((all, one) => all + one, 0);
  while (sum() > total) {
    const largest = given.indexOf(Math.max(...given));
    given[largest] = (given[largest] ?? LEAST) - 1;
  }
  const spare = total - sum();
  return given.map((one, i) => (i === given.length - 1 ? one + spare : one));
}
