import type { ComponentType } from "react";
import type { Line, Size } from "../components/line.ts";
import type { BindingId } from "../keys/defaults.ts";
import type { KeyPress } from "../keys/keys.ts";
import type { Answer, Effect } from "./effect.ts";
import type { Model, Spot } from "./model.ts";

/** What a key, an answer or a word from outside makes of the model. */
export interface Step {
  model: Model;
  effects?: readonly Effect[];
}

export type NamedAction = Pick<Binding, "id" | "keys" | "label">;

/** Something that a key does here. */
export interface Binding {
  id: BindingId;
  /** In the place of its usual keys, where those type into a field. */
  keys?: readonly string[];
  /** In one or two words, for the footer and the help. */
  label: string;
  /** Under which head the help tells it; under the screen's own without one. */
  group?: string;
  /** Shown in the footer; help shows all. Default true. */
  footer?: boolean;
  run: (model: Model, press: KeyPress) => Step;
}

export interface ViewProps<S> {
  state: S;
  size: Size;
}

/**
 * One kind of screen. All functions are pure. `S` is its own state, which is in the stack of the model; what several
 * screens need is in the model.
 */
export interface Screen<S> {
  /** What it is called in the head line and in the help. */
  title: (state: S, model: Model) => string;
  /** `sheet`: takes as many rows at the bottom as it has lines, and leaves the screen below visible. */
  place: "full" | "sheet";
  /** What keys do in this very state: a key that would be refused is not offered. */
  bindings: (state: S, model: Model) => readonly Binding[];
  /** What is often offered here: the footer dims those that do not apply now. */
  usual?: readonly NamedAction[];
  /** Keys that are bound to nothing, for fields; a paste comes as one press with all its text. */
  typed?: (state: S, press: KeyPress, model: Model) => Step;
  /** A click on a part of it. Without it a click does nothing. */
  clicked?: (state: S, spot: Spot, model: Model) => Step;
  /** The wheel over a part of it. Without it the wheel moves as the arrows do. */
  wheeled?: (state: S, spot: Spot, move: "up" | "down", model: Model) => Step;
  /** What came of a call that this screen made. Undefined: not mine. */
  answered?: (state: S, answer: Answer, model: Model) => Step | undefined;
  /** What it shows, in that room at most; what is longer scrolls. It reads the model by `useModel`. */
  View: ComponentType<ViewProps<S>>;
  /** The same content for a screen reader: whole, in reading order, without frames and bars. */
  plain: (state: S, model: Model) => readonly Line[];
}
