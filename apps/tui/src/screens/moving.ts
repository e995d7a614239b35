import type { Move } from "../frame/scroll.ts";
import type { Model } from "../model/model.ts";
import { popScreen } from "../model/stack.ts";
import type { Binding, Step } from "./screen.ts";

export const MOVES: readonly { move: Move; keys: readonly string[]; label: string }[] = [
  { move: "up", keys: ["up", "k"], label: "up" },
  { move: "down", keys: ["down", "j"], label: "down" },
  { move: "pageup", keys: ["pageup", "ctrl+u"], label: "page up" },
  { move: "pagedown", keys: ["pagedown", "ctrl+d"], label: "page down" },
  { move: "top", keys: ["g", "home"], label: "top" },
  { move: "end", keys: ["G", "end"], label: "end" },
];

/** The keys that move in a list or scroll; help tells them, the footer has no room for them. */
export function movingBindings(
  screen: string,
  run: (move: Move, model: Model) => Step,
): readonly Binding[] {
  return MOVES.map(({ move, keys, label }) => ({
    id: `${screen}.${move}`,
    keys,
    label,
    footer: false,
    run: (model) => run(move, model),
  }));
}

/** Closes the screen on top. */
export function backBinding(screen: string, run: (model: Model) => Step, label = "back"): Binding {
  return { id: `${screen}.back`, keys: ["esc"], label, run };
}

export const PAGE_BACK = ["esc", "q"];

/** Closes a page that is only read, as pagers do. */
export function pageBack(screen: string, label?: string): Binding {
  return {
    ...backBinding(screen, (model) => ({ model: popScreen(model) }), label),
    keys: PAGE_BACK,
  };
}
