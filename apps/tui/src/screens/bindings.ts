import type { Move } from "../components/panel.ts";
import { type KeyMap, shownKey } from "../keys/keys.ts";
import { type Model, popScreen, pushScreen, topScreen } from "../model/model.ts";
import type { Binding, Step } from "../model/screen.ts";

/** The keys of a binding, most usual first. */
export function keysOf({ id, keys }: Pick<Binding, "id" | "keys">, map: KeyMap): readonly string[] {
  return map[id] ?? keys;
}

/** The most usual key of a binding as people read it. */
export function firstKey(binding: Pick<Binding, "id" | "keys">, map: KeyMap): string {
  return shownKey(keysOf(binding, map)[0] ?? "none");
}

/** The binding that a key has here. */
export function findBinding(
  bindings: readonly Binding[],
  key: string,
  map: KeyMap,
): Binding | undefined {
  return bindings.find((binding) => keysOf(binding, map).includes(key));
}

export const QUIT: Binding = {
  id: "app.quit",
  keys: ["ctrl+c"],
  label: "quit",
  footer: false,
  run: requestQuit,
};

/** What keys do on every screen, unless the screen needs them itself. */
export const GLOBAL_BINDINGS: readonly Binding[] = [
  {
    id: "app.help",
    keys: ["?"],
    label: "help",
    run(model) {
      const { kind } = topScreen(model);
      return {
        model: kind === "help" ? model : pushScreen(model, { kind: "help", of: kind, scroll: 0 }),
      };
    },
  },
  QUIT,
];

/**
 * What leaving comes to: where this process drives loops it is asked first what becomes of them, and asked again it
 * leaves them running for whoever drives next. One that is over or paused is only waited for.
 */
export function requestQuit(model: Model): Step {
  if (topScreen(model).kind === "quit" || model.driven.size === 0)
    return { model, effects: [{ type: "quit", driven: "release" }] };
  if (drivenOn(model).length > 0) return { model: pushScreen(model, { kind: "quit" }) };
  return { model, effects: [{ type: "quit", driven: "pause" }] };
}

/** The loops that this process drives and that have not ended or paused. */
export function drivenOn({ driven, loops }: Model): string[] {
  const resting = new Set(["paused", "completed", "failed", "user_exit"]);
  return [...driven].filter((id) => !resting.has(loops.rows.get(id)?.status ?? "running"));
}

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
