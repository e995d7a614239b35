import { type BindingId, DEFAULT_KEYS, type ScreensWith } from "../keys/defaults.ts";
import { type KeyMap, shownKey } from "../keys/keys.ts";
import type { Effect } from "../model/effect.ts";
import { emptyField } from "../model/field.ts";
import { type Model, popScreen, pushScreen, replaceScreen, topScreen } from "../model/model.ts";
import type { Binding, Step } from "../model/screen.ts";
import type { ScreenState } from "../model/screen-states.ts";
import type { Move } from "../model/scroll.ts";

type Run = (model: Model) => Step;

/** What a key does that shows another screen on top, that changes the state of its own, or that closes it. */
export const opening =
  (screen: ScreenState, ...effects: readonly Effect[]): Run =>
  (model) => ({
    model: pushScreen(model, screen),
    effects,
  });
export const changing =
  (screen: ScreenState): Run =>
  (model) => ({
    model: replaceScreen(model, screen),
  });
export const closing: Run = (model) => ({ model: popScreen(model) });
/** What a key does that only asks for something outside of the model. */
export const asking =
  (...effects: readonly Effect[]): Run =>
  (model) => ({ model, effects });

/** The keys of a binding, most usual first. */
export function keysOf({ id, keys }: Pick<Binding, "id" | "keys">, map: KeyMap): readonly string[] {
  return map[id] ?? keys ?? DEFAULT_KEYS[id] ?? [];
}

/** The most usual key of a binding as people read it. */
export function firstKey(id: BindingId, map: KeyMap): string {
  return shownKey(keysOf({ id }, map)[0] ?? "none");
}

/** The binding that a key has here. */
export function findBinding(
  bindings: readonly Binding[],
  key: string,
  map: KeyMap,
): Binding | undefined {
  return bindings.find((binding) => keysOf(binding, map).includes(key));
}

export const QUIT: Binding = { id: "app.quit", label: "quit", footer: false, run: requestQuit };

/** What keys do on every screen, unless the screen needs them itself. */
export const GLOBAL_BINDINGS: readonly Binding[] = [
  {
    id: "app.help",
    label: "help",
    run(model) {
      const { kind } = topScreen(model);
      return {
        model: kind === "help" ? model : pushScreen(model, { kind: "help", of: kind, scroll: 0 }),
      };
    },
  },
  {
    id: "app.palette",
    label: "actions",
    footer: false,
    run(model) {
      const palette = { kind: "palette", field: emptyField, selected: 0 } as const;
      return { model: topScreen(model).kind === "palette" ? model : pushScreen(model, palette) };
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

const MOVES: readonly [Move, label: string][] = [
  ["up", "up"],
  ["down", "down"],
  ["pageup", "page up"],
  ["pagedown", "page down"],
  ["top", "top"],
  ["end", "end"],
];

/** The keys that move in a list or scroll; help tells them, the footer has no room for them. */
export function movingBindings(
  screen: ScreensWith<Move>,
  run: (move: Move, model: Model) => Step,
): readonly Binding[] {
  return MOVES.map(([move, label]) => ({
    id: `${screen}.${move}` as const,
    label,
    footer: false,
    run: (model) => run(move, model),
  }));
}

/** What a click on a row of a list does: below its last one there is nothing to select. */
export function selectingRow(
  model: Model,
  screen: Extract<ScreenState, { selected: number | null }>,
  { index, count }: { index: number; count: number },
): Step {
  return { model: index < count ? replaceScreen(model, { ...screen, selected: index }) : model };
}

/** Closes the screen on top. */
export function backBinding(
  screen: ScreensWith<"back">,
  label = "back",
  run: Run = closing,
): Binding {
  return { id: `${screen}.back`, label, run };
}
