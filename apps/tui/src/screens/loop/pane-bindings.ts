import type { AgentLog } from "@ccw-loop/view";
import type { Size } from "../../components/line.ts";
import type { KeyPress } from "../../keys/keys.ts";
import { calling } from "../../model/effect.ts";
import { edited, emptyField } from "../../model/field.ts";
import { type Model, replaceScreen, type Spot, topScreen } from "../../model/model.ts";
import type { Binding, Step } from "../../model/screen.ts";
import type { LoopScreenState } from "../../model/screen-states.ts";
import { lastFirst, type Move, moved } from "../../model/scroll.ts";
import { changing, movingBindings } from "../bindings.ts";
import { focusedPane, searches } from "./layout.ts";
import { agentWindow, foundLine } from "./panes/agent.ts";
import { loadedLoop } from "./panes/pane.ts";
import { PANE_NAMES, paneLines } from "./panes/panes.ts";

/** Keys that go through the panes and scroll in them. */
export function focusBindings(screen: LoopScreenState, model: Model): readonly Binding[] {
  const log = model.opened?.log;
  const follow: Binding = {
    id: "loop.follow",
    label: "follow",
    run: changing({ ...screen, focus: "agent", follow: true }),
  };
  const kept: Binding[] = [
    { id: "loop.copy", label: "copy", run: (from) => copied(screen, from) },
    { id: "loop.export", label: "export", run: (from) => exported(screen, from) },
  ];
  return [
    { id: "loop.pane", label: "pane", run: changing(focused(screen, 1)) },
    {
      id: "loop.pane-back",
      label: "pane back",
      footer: false,
      run: changing(focused(screen, -1)),
    },
    {
      id: "loop.zoom",
      label: screen.zoomed ? "unzoom" : "zoom",
      run: changing({ ...screen, zoomed: !screen.zoomed }),
    },
    ...(screen.follow ? [] : [follow]),
    ...(log && log.lines.length > 0 ? kept : []),
    ...movingBindings("loop", (move, from) => scrolled(screen, from, move)),
  ];
}

function focused(screen: LoopScreenState, step: 1 | -1): LoopScreenState {
  const at = (PANE_NAMES.indexOf(screen.focus) + step) % PANE_NAMES.length;
  return focusedOn(screen, PANE_NAMES.at(at) ?? "agent");
}

/** With the keys at that pane. */
export function focusedOn(screen: LoopScreenState, focus: string): LoopScreenState {
  const isBeside = focus !== "agent" && focus !== "tasks";
  return { ...screen, focus, beside: isBeside ? focus : screen.beside };
}

/** Scrolls the pane below the wheel; the keys stay where they are. */
export function wheeled(
  screen: LoopScreenState,
  { name }: Spot,
  move: "up" | "down",
  model: Model,
): Step {
  const step = scrolled({ ...screen, focus: name }, model, move);
  const top = topScreen(step.model);
  if (top.kind !== "loop") return step;
  return { model: replaceScreen(step.model, { ...top, focus: screen.focus }) };
}

function scrolled(screen: LoopScreenState, model: Model, move: Move): Step {
  const shown = loadedLoop(model);
  if (!shown) return { model };
  const { rows, columns, whole } = focusedPane(screen, model);
  const { focus: pane, scroll } = screen;
  if (pane !== "agent") {
    const count = paneLines(pane, shown, { columns, whole, now: model.now }).length;
    const to = moved(scroll[pane] ?? 0, move, { page: rows, last: lastFirst(count, rows) });
    return { model: replaceScreen(model, { ...screen, scroll: { ...scroll, [pane]: to } }) };
  }
  return { model: replaceScreen(model, agentScrolled(screen, shown.log, { columns, rows }, move)) };
}

/** At the newest line it follows again: there is nothing to see behind it. */
function agentScrolled(
  screen: LoopScreenState,
  log: AgentLog,
  size: Size,
  move: Move,
): LoopScreenState {
  const { first, last, lastFirst: end } = agentWindow(screen, log, size);
  const page = Math.max(1, last - first);
  const to = log.dropped + moved(first - log.dropped, move, { page, last: end - log.dropped });
  const follow = to === end && (move === "end" || to > first || screen.follow);
  return { ...screen, scroll: { ...screen.scroll, agent: to }, follow };
}

/** The lines that hold what is looked for, else those that are on the screen. */
function copied(screen: LoopScreenState, model: Model): Step {
  const log = model.opened?.log;
  if (!log) return { model };
  const seen = agentWindow(screen, log, focusedPane({ ...screen, focus: "agent" }, model));
  const wanted = screen.search.text.toLowerCase();
  const lines =
    wanted === ""
      ? log.lines.slice(seen.first - log.dropped, seen.last - log.dropped + 1)
      : log.lines.filter(({ text }) => text.toLowerCase().includes(wanted));
  const text = lines.map((one) => one.text).join("\n");
  return { model, effects: [calling({ name: "copy", text })] };
}

/** Everything that is kept of what the agent did, in a file of its own each time. */
function exported({ id }: LoopScreenState, model: Model): Step {
  const lines = model.opened?.log.lines ?? [];
  const text = lines.map((one) => `${one.text}\n`).join("");
  const time = new Date(model.now).toISOString().slice(0, 19).replaceAll(":", "-");
  return { model, effects: [calling({ name: "save", file: `${id}-agent-${time}.log`, text })] };
}

/** While the field has the keys. */
export function searchingBindings(screen: LoopScreenState): readonly Binding[] {
  return [
    {
      id: "loop.find",
      label: "find",
      run: (model) =>
        toFound({ ...screen, searching: false }, model, { forward: false, next: false }),
    },
    { id: "loop.cancel", label: "cancel", run: changing(cleared(screen)) },
  ];
}

export function searchTyped(screen: LoopScreenState, press: KeyPress, model: Model): Step {
  const search = screen.searching ? edited(screen.search, press) : undefined;
  return { model: search ? replaceScreen(model, { ...screen, search, found: null }) : model };
}

/** Beside the other keys of a loop. */
export function searchBindings(screen: LoopScreenState): readonly Binding[] {
  const begin: Binding = {
    id: "loop.search",
    label: "search",
    run: changing({ ...cleared(screen), focus: "agent", searching: true }),
  };
  if (!searches(screen)) return [begin];
  return [
    begin,
    {
      id: "loop.next",
      label: "next",
      run: (model) => toFound(screen, model, { forward: true, next: true }),
    },
    {
      id: "loop.previous",
      label: "previous",
      run: (model) => toFound(screen, model, { forward: false, next: true }),
    },
  ];
}

export function cleared(screen: LoopScreenState): LoopScreenState {
  return { ...screen, search: emptyField, searching: false, found: null };
}

/** Shows the nearest line that holds the text, in the middle of the pane; the newest one first. */
function toFound(
  screen: LoopScreenState,
  model: Model,
  { forward, next }: { forward: boolean; next: boolean },
): Step {
  const log = model.opened?.log;
  if (!log) return { model };
  const pane = focusedPane({ ...screen, focus: "agent" }, model);
  const step = next && screen.found !== null ? (forward ? 1 : -1) : 0;
  const from = (screen.found ?? agentWindow(screen, log, pane).last) + step;
  const found = foundLine(log, screen.search.text, { from, forward });
  if (found === null) return { model: replaceScreen(model, { ...screen, found: null }) };
  const agent = Math.max(0, found - Math.floor(pane.rows / 2));
  const scroll = { ...screen.scroll, agent };
  return { model: replaceScreen(model, { ...screen, found, follow: false, scroll }) };
}
