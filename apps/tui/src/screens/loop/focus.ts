import type { Size } from "../../frame/line.ts";
import { lastFirst, type Move, moved } from "../../frame/scroll.ts";
import type { AgentLog } from "../../model/agent-log.ts";
import type { Model } from "../../model/model.ts";
import { replaceScreen } from "../../model/stack.ts";
import { movingBindings } from "../moving.ts";
import type { Binding, Step } from "../screen.ts";
import { focusedPane, loadedLoop, paneContent } from "./content.ts";
import { agentWindow } from "./panes/agent.ts";
import { type LoopScreenState, PANES, type Pane } from "./state.ts";

/** Keys that go through the panes and scroll in them. */
export function focusBindings(screen: LoopScreenState, model: Model): readonly Binding[] {
  const log = model.opened?.log;
  const follow: Binding = {
    id: "loop.follow",
    keys: ["f"],
    label: "follow",
    run: (from) => ({ model: replaceScreen(from, { ...screen, focus: "agent", follow: true }) }),
  };
  const kept: Binding[] = [
    { id: "loop.copy", keys: ["y"], label: "copy", run: (from) => copied(screen, from) },
    { id: "loop.export", keys: ["e"], label: "export", run: (from) => exported(screen, from) },
  ];
  return [
    {
      id: "loop.pane",
      keys: ["tab"],
      label: "pane",
      run: (from) => ({ model: replaceScreen(from, focused(screen, 1)) }),
    },
    {
      id: "loop.pane-back",
      keys: ["shift+tab"],
      label: "pane back",
      footer: false,
      run: (from) => ({ model: replaceScreen(from, focused(screen, -1)) }),
    },
    {
      id: "loop.zoom",
      keys: ["z"],
      label: screen.zoomed ? "unzoom" : "zoom",
      run: (from) => ({ model: replaceScreen(from, { ...screen, zoomed: !screen.zoomed }) }),
    },
    ...(screen.follow ? [] : [follow]),
    ...(log && log.lines.length > 0 ? kept : []),
    ...movingBindings("loop", (move, from) => scrolled(screen, from, move)),
  ];
}

function focused(screen: LoopScreenState, step: 1 | -1): LoopScreenState {
  const at = (PANES.indexOf(screen.focus) + step + PANES.length) % PANES.length;
  const focus: Pane = PANES[at] ?? "agent";
  const isBeside = focus !== "agent" && focus !== "tasks";
  return { ...screen, focus, beside: isBeside ? focus : screen.beside };
}

function scrolled(screen: LoopScreenState, model: Model, move: Move): Step {
  const shown = loadedLoop(model);
  if (!shown) return { model };
  const { rows, columns, whole } = focusedPane(screen, model);
  const { focus: pane, scroll } = screen;
  if (pane !== "agent") {
    const count = paneContent(pane, shown, model, { columns, whole }).length;
    const to = moved(scroll[pane], move, { page: rows, last: lastFirst(count, rows) });
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
  return { model, effects: [{ type: "call", call: { name: "copy", text } }] };
}

/** Everything that is kept of what the agent did. */
function exported({ id }: LoopScreenState, model: Model): Step {
  const lines = model.opened?.log.lines ?? [];
  const text = lines.map((one) => `${one.text}\n`).join("");
  return {
    model,
    effects: [{ type: "call", call: { name: "save", file: `${id}-agent.log`, text } }],
  };
}
