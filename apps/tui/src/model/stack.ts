import type { Model } from "./model.ts";
import type { ScreenState } from "./screen-states.ts";

/** The screen that has the keys. */
export function topScreen({ stack }: Model): ScreenState {
  const top = stack.at(-1);
  if (top === undefined) throw new TypeError("There is no screen.");
  return top;
}

export function pushScreen(model: Model, screen: ScreenState): Model {
  return { ...model, stack: [...model.stack, screen] };
}

/** Without its top screen; home stays. */
export function popScreen(model: Model): Model {
  return model.stack.length === 1 ? model : { ...model, stack: model.stack.slice(0, -1) };
}

/** Without the screen of that kind that is nearest to the top, wherever it is; home stays. */
export function withoutScreen(model: Model, kind: ScreenState["kind"]): Model {
  const at = model.stack.findLastIndex((screen) => screen.kind === kind);
  return at < 1 ? model : { ...model, stack: model.stack.toSpliced(at, 1) };
}

/** With another state of the same kind in the place of the one that is nearest to the top; unchanged without one. */
export function replaceScreen(model: Model, screen: ScreenState): Model {
  const at = model.stack.findLastIndex(({ kind }) => kind === screen.kind);
  return at < 0 ? model : { ...model, stack: model.stack.with(at, screen) };
}

export function withNotice(
  model: Model,
  text: string,
  tone: "good" | "bad" | "warning" | "quiet" = "quiet",
): Model {
  return { ...model, notice: { tone, text } };
}
