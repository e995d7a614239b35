import type { LoopState } from "@ccw-loop/core";
import { emptyField } from "../../model/field.ts";
import { type Model, openedState } from "../../model/model.ts";
import { popScreen, pushScreen, topScreen, withNotice } from "../../model/stack.ts";
import type { AnswerState } from "../answer/state.ts";
import type { MenuState } from "../menu/state.ts";
import { asksPerson } from "./accepts.ts";

/** The screen that answers what the loop waits with. */
export function questionOf({ loop_id: id, waiting }: LoopState): MenuState | AnswerState {
  const since = waiting?.since ?? "";
  if (waiting?.menu) return { kind: "menu", id, since, selected: 0, notice: null, busy: false };
  return { kind: "answer", id, since, selected: 0, field: emptyField, scroll: 0, busy: false };
}

/**
 * Shows a new question of the loop that is looked at, unless something else has the keys; takes one away that was
 * answered elsewhere.
 */
export function withQuestion(before: Model, after: Model): Model {
  const model = withoutAnswered(after);
  const state = openedState(model);
  if (!state || !asksPerson(state)) return model;
  const known = openedState(before)?.waiting?.since === state.waiting?.since;
  const top = topScreen(model);
  const looksAtIt = top.kind === "loop" && top.id === state.loop_id && !top.searching;
  return looksAtIt && !known ? pushScreen(model, questionOf(state)) : model;
}

function withoutAnswered(model: Model): Model {
  const top = topScreen(model);
  const state = openedState(model);
  if (!state || (top.kind !== "menu" && top.kind !== "answer") || top.busy) return model;
  if (asksPerson(state) && state.waiting?.since === top.since) return model;
  return withNotice(
    popScreen(model),
    "The question is gone: it was answered, or the loop stopped.",
    "warning",
  );
}
