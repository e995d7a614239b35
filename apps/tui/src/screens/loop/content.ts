import type { Line, Size } from "../../frame/line.ts";
import { bodyOf } from "../../frame/scroll.ts";
import type { FollowedLoop, Model } from "../../model/model.ts";
import { headerLines } from "./header.ts";
import { type Layout, layoutOf, type Placed } from "./layout.ts";
import { hypothesisLines } from "./panes/ideas.ts";
import { historyLines } from "./panes/steps.ts";
import { taskLines } from "./panes/tasks.ts";
import { testLines } from "./panes/tests.ts";
import type { LoopScreenState, Pane } from "./state.ts";

/** A loop whose past is read. */
export type LoadedLoop = FollowedLoop & { progress: NonNullable<FollowedLoop["progress"]> };

export function loadedLoop({ opened }: Model): LoadedLoop | undefined {
  return opened?.progress ? { ...opened, progress: opened.progress } : undefined;
}

/** Everything that a pane has to say, apart from the agent's. */
export function paneContent(
  pane: Exclude<Pane, "agent">,
  shown: LoadedLoop,
  model: Model,
  { columns, whole }: { columns: number; whole: boolean },
): Line[] {
  const { progress } = shown;
  switch (pane) {
    case "tasks":
      return taskLines(progress.state, columns, whole);
    case "ideas":
      return hypothesisLines(progress.state, columns, whole);
    case "tests":
      return testLines(shown, progress.state, columns, whole);
    case "steps":
      return historyLines(progress, model.now, columns, whole);
  }
}

export interface PaneArrangement {
  header: readonly Line[];
  layout: Layout;
}

/** Header and panes in that room. */
export function arrangePanes(
  screen: LoopScreenState,
  model: Model,
  shown: LoadedLoop,
  { columns, rows }: Size,
): PaneArrangement {
  const all = headerLines(screen, model, { columns, roomy: rows >= 18 });
  const header = screen.zoomed ? all.slice(0, 2) : all;
  const lengthOf = (pane: Exclude<Pane, "agent">) =>
    paneContent(pane, shown, model, { columns, whole: false }).length;
  const wanted = {
    agent: shown.log.lines.length,
    tasks: lengthOf("tasks"),
    ideas: lengthOf("ideas"),
    tests: lengthOf("tests"),
    steps: lengthOf("steps"),
  };
  const room = { columns, rows: rows - header.length };
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
