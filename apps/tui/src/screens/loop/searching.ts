import type { KeyPress } from "../../keys/key-press.ts";
import { foundLine } from "../../model/agent-log.ts";
import { edited, emptyField } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import { replaceScreen } from "../../model/stack.ts";
import type { Binding, Step } from "../screen.ts";
import { focusedPane, searches } from "./content.ts";
import { agentWindow } from "./panes/agent.ts";
import type { LoopScreenState } from "./state.ts";

/** While the field has the keys. */
export function searchingBindings(screen: LoopScreenState): readonly Binding[] {
  return [
    {
      id: "loop.find",
      keys: ["enter"],
      label: "find",
      run: (model) =>
        toFound({ ...screen, searching: false }, model, { forward: false, next: false }),
    },
    {
      id: "loop.cancel",
      keys: ["esc"],
      label: "cancel",
      run: (model) => ({ model: replaceScreen(model, cleared(screen)) }),
    },
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
    keys: ["/"],
    label: "search",
    run: (model) => {
      return {
        model: replaceScreen(model, { ...cleared(screen), focus: "agent", searching: true }),
      };
    },
  };
  if (!searches(screen)) return [begin];
  return [
    begin,
    {
      id: "loop.next",
      keys: ["n"],
      label: "next",
      run: (model) => toFound(screen, model, { forward: true, next: true }),
    },
    {
      id: "loop.previous",
      keys: ["N"],
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
  const wrapped = wrap(from, log);
  const found = foundLine(log, screen.search.text, { from: wrapped, forward });
  if (found === null) return { model: replaceScreen(model, { ...screen, found: null }) };
  const agent = Math.max(0, found - Math.floor(pane.rows / 2));
  const scroll = { ...screen.scroll, agent };
  return { model: replaceScreen(model, { ...screen, found, follow: false, scroll }) };
}

/** Behind the last line comes the first one again. */
function wrap(at: number, { dropped, lines }: { dropped: number; lines: readonly unknown[] }) {
  const end = dropped + lines.length;
  return at >= end ? dropped : at < dropped ? end - 1 : at;
}
