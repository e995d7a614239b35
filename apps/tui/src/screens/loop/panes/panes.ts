import type { LoopState } from "@ccw-loop/core";
import type { Line } from "../../../components/line.ts";
import { historyPane } from "./history.ts";
import { hypothesesPane } from "./hypotheses.ts";
import type { LoadedLoop, Pane, PaneRoom } from "./pane.ts";
import { tasksPane } from "./tasks.ts";
import { testsPane } from "./tests.ts";

/** The panes of a loop beside the agent's, in the order in which tab goes through them. */
export const PANES: Readonly<Record<string, Pane>> = {
  tasks: tasksPane,
  ideas: hypothesesPane,
  tests: testsPane,
  steps: historyPane,
};

/** All names, that of the agent's first. */
export const PANE_NAMES: readonly string[] = ["agent", ...Object.keys(PANES)];

/** The lines of a state by pane and room: while an agent writes, its log alone is new in every frame. */
const known = new WeakMap<LoopState, Map<string, { now: number; lines: Line[] }>>();

/** What a pane shows. */
export function paneLines(name: string, loop: LoadedLoop, room: PaneRoom): Line[] {
  const { state } = loop.progress;
  const made = known.get(state) ?? new Map<string, { now: number; lines: Line[] }>();
  known.set(state, made);
  const key = `${name} ${room.columns} ${room.whole}`;
  const last = made.get(key);
  if (last?.now === room.now) return last.lines;
  const lines = PANES[name]?.lines(loop, room) ?? [];
  made.set(key, { now: room.now, lines });
  return lines;
}
