import type { Progress } from "@ccw-loop/view";
import type { Size } from "../../frame/line.ts";
import { openIdeas } from "./panes/ideas.ts";
import type { LoopScreenState, Pane } from "./state.ts";

/** A pane with the rows and columns of its frame. */
export interface Placed extends Size {
  pane: Pane;
}

/** Bands below each other, of columns beside each other, of panes below each other. */
export type Layout = readonly (readonly (readonly Placed[])[])[];

/** How much a pane has to show, in lines. */
export type Wanted = Readonly<Record<Pane, number>>;

/** Where the panes of a loop are in the room below its header. What has no room is a tab away. */
export function layoutOf(
  screen: LoopScreenState,
  progress: Progress,
  room: Size,
  wanted: Wanted,
): Layout {
  const { columns, rows } = room;
  const one: Layout = [[[{ pane: screen.focus, columns, rows }]]];
  if (screen.zoomed || columns < 80 || rows < 12) return one;
  return columns >= 110 && rows >= 24
    ? sideBySide(room, wanted)
    : stacked(screen, progress, room, wanted);
}

/** On a large screen: everything on the left, the agent on the right. */
function sideBySide({ columns, rows }: Size, wanted: Wanted): Layout {
  const left = Math.min(56, Math.floor(columns * 0.42));
  const panes = ["steps", "tasks", "ideas", "tests"] as const;
  const heights = distributeRows(
    panes.map((pane) => wanted[pane] + 2),
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
  const shown: Pane[] = [
    "tasks",
    ...besideTasks(screen, progress).slice(0, columns >= 105 ? 2 : 1),
  ];
  const need = Math.max(...shown.map((pane) => wanted[pane])) + 2;
  const upper = Math.max(5, Math.min(need, Math.floor(rows * 0.48)));
  const each = Math.floor(columns / shown.length);
  const first = columns - each * (shown.length - 1);
  return [
    shown.map((pane, i) => [{ pane, columns: i === 0 ? first : each, rows: upper }]),
    [[{ pane: "agent", columns, rows: rows - upper }]],
  ];
}

/** The panes that may stand beside the tasks, the most interesting first. */
function besideTasks({ beside }: LoopScreenState, { state }: Progress): Pane[] {
  const debugs = state.action?.name === "DEBUG" || openIdeas(state).length > 0;
  const tested = (state.receipts ?? []).length > 0;
  const usual: Pane[] = debugs
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
