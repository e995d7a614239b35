import { fieldLine } from "../../frame/field-line.ts";
import { blank, type Line, line, type Size, span } from "../../frame/line.ts";
import { joinColumns, panel } from "../../frame/panel.ts";
import { windowOf } from "../../frame/scroll.ts";
import type { Model } from "../../model/model.ts";
import type { Screen } from "../screen.ts";
import { answered } from "./answered.ts";
import { loopBindings } from "./bindings.ts";
import {
  arrangePanes,
  innerOf,
  isWhole,
  type LoadedLoop,
  loadedLoop,
  paneContent,
  searches,
} from "./content.ts";
import { withFrozenClock } from "./driver.ts";
import { headerLines } from "./header.ts";
import type { Placed } from "./layout.ts";
import { agentNote, agentWindow } from "./panes/agent.ts";
import { ideaNote } from "./panes/ideas.ts";
import { taskNote } from "./panes/tasks.ts";
import { plainLoop } from "./plain.ts";
import { searchTyped } from "./searching.ts";
import { type LoopScreenState, PANES, type Pane } from "./state.ts";

export const loopScreen: Screen<LoopScreenState> = {
  title: ({ id }) => id,
  place: "full",
  bindings: loopBindings,
  typed: searchTyped,
  answered,
  lines: (screen, model, size) => lines(screen, withFrozenClock(screen, model), size),
  plain: (screen, model) => plainLoop(screen, withFrozenClock(screen, model)),
};

const TITLES: Readonly<Record<Pane, string>> = {
  agent: "Agent",
  tasks: "Tasks",
  ideas: "Hypotheses",
  tests: "Tests",
  steps: "History",
};

function lines(screen: LoopScreenState, model: Model, size: Size): Line[] {
  const shown = loadedLoop(model);
  if (!shown) return headerLines(screen, model, { columns: size.columns, roomy: true });
  const { header, layout } = arrangePanes(screen, model, shown, size);
  const whole = isWhole(layout);
  const draw = (placed: Placed) => paneLines(placed, screen, model, shown, whole);
  const body = layout.flatMap((band) => joinColumns(...band.map((column) => column.flatMap(draw))));
  return [...header, ...body].slice(0, size.rows);
}

function paneLines(
  placed: Placed,
  screen: LoopScreenState,
  model: Model,
  shown: LoadedLoop,
  whole: boolean,
): Line[] {
  const { pane, columns, rows } = placed;
  const focused = pane === screen.focus;
  const inner = innerOf(screen, placed);
  const title = whole
    ? `${TITLES[pane]} (${PANES.indexOf(pane) + 1}/${PANES.length})`
    : TITLES[pane];
  const frame = { columns, rows, title, focused };
  if (pane === "agent") {
    const seen = agentWindow(screen, shown.log, inner);
    const rows = shown.log.lines.length === 0 ? [silence(shown)] : seen.rows;
    const filled = Array.from({ length: inner.rows }, (_, i) => rows[i] ?? blank);
    const search = searches(screen) ? [searchLine(screen, shown, inner.columns)] : [];
    return panel([...filled, ...search], { ...frame, note: agentNote(seen, screen, shown.log) });
  }
  const content = paneContent(pane, shown, model, { columns: inner.columns, whole });
  const { lines: visible, note } = windowOf(content, screen.scroll[pane], inner.rows);
  return panel(visible, {
    ...frame,
    note: [noteOf(pane, shown), note].filter(Boolean).join(" · "),
  });
}

function noteOf(pane: Pane, { progress }: LoadedLoop): string {
  if (pane === "tasks") return taskNote(progress.state);
  return pane === "ideas" ? ideaNote(progress.state) : "";
}

function silence({ progress }: LoadedLoop): Line {
  const works = progress.state.status === "running" && progress.state.action;
  return line(works ? "Nothing said yet." : "No agent works now.", "quiet");
}

function searchLine(screen: LoopScreenState, { log }: LoadedLoop, columns: number): Line {
  const wanted = screen.search.text.toLowerCase();
  const count = log.lines.filter(({ text }) => text.toLowerCase().includes(wanted)).length;
  const note = wanted === "" ? "" : `  ${count} ${count === 1 ? "line" : "lines"}`;
  const field = fieldLine(screen.search, {
    columns: columns - 2 - note.length,
    focused: screen.searching,
  });
  return [span("/", "warning"), ...field, span(note, count === 0 ? "bad" : "quiet")];
}
