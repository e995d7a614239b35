import type { Answer } from "../../model/calls.ts";
import type { Effect } from "../../model/effect.ts";
import { type Model, openedState } from "../../model/model.ts";
import { replaceScreen, withNotice } from "../../model/stack.ts";
import type { Step } from "../screen.ts";
import { sameOrder, shownTasks, swapped } from "./order.ts";
import type { TasksState } from "./state.ts";

/** One order is under way at a time, so that two of them cannot overtake each other. */
function sending(id: string, ids: readonly string[]): Effect {
  const command = { type: "reorder_tasks" as const, task_ids: [...ids] };
  return { type: "call", call: { name: "send", id, command } };
}

/** The selected task one place further up or down, shown at once. */
export function reordered(state: TasksState, model: Model, by: 1 | -1): Step {
  const before = shownTasks(state, openedState(model)).map(({ id }) => id);
  const at = Math.min(state.selected, before.length - 1);
  const ids = swapped(before, at, by);
  if (ids === undefined) return { model };
  const sent = state.moved?.sent ?? null;
  const moved = { ids, sent: sent ?? ids, revision: null };
  const next = { ...state, selected: at + by, moved };
  return {
    model: replaceScreen(model, next),
    effects: sent === null ? [sending(state.id, ids)] : [],
  };
}

/** The order that was sent is answered: what was moved meanwhile is sent now, a refusal takes all of it back. */
export function orderAnswered(state: TasksState, answer: Answer, model: Model): Step | undefined {
  const { moved, id } = state;
  if (answer.call.name !== "send" || answer.call.command.type !== "reorder_tasks") return undefined;
  if (answer.call.id !== id || moved?.sent == null) return undefined;
  if (!answer.ok) {
    const { moved: _, ...rest } = state;
    return { model: withNotice(replaceScreen(model, rest), answer.error.message, "bad") };
  }
  if (answer.name !== "send") return undefined;
  if (!sameOrder(moved.ids, moved.sent)) {
    const next = { ...state, moved: { ...moved, sent: moved.ids } };
    return { model: replaceScreen(model, next), effects: [sending(id, moved.ids)] };
  }
  const revision = answer.value.revision ?? 0;
  return { model: replaceScreen(model, { ...state, moved: { ...moved, sent: null, revision } }) };
}
