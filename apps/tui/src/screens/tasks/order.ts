import { isDeepStrictEqual } from "node:util";
import { type DevelopTask, type LoopState, tasksOf } from "@ccw-loop/core";
import { type Answer, type Effect, sending } from "../../model/effect.ts";
import { type Model, openedState, replaceScreen, withNotice } from "../../model/model.ts";
import type { Step } from "../../model/screen.ts";
import type { Moved, TasksState } from "../../model/screen-states.ts";

/** The tasks as they are shown: in the new order as long as the loop does not have it. */
export function shownTasks({ moved }: TasksState, state: LoopState | undefined): DevelopTask[] {
  const tasks = state === undefined ? [] : [...tasksOf(state)];
  if (moved === undefined || isThere(moved, state)) return tasks;
  const place = new Map(moved.ids.map((id, i) => [id, i]));
  const of = ({ id }: DevelopTask) => place.get(id) ?? moved.ids.length;
  return tasks.sort((a, b) => of(a) - of(b));
}

function isThere({ revision }: Moved, state: LoopState | undefined): boolean {
  return revision !== null && (state?.revision ?? 0) >= revision;
}

/** The ids with the one at `from` that many places further down; undefined where there is no such place. */
function swapped(ids: readonly string[], from: number, by: 1 | -1): string[] | undefined {
  const to = from + by;
  const [one, other] = [ids[from], ids[to]];
  return one === undefined || other === undefined ? undefined : ids.with(from, other).with(to, one);
}

/** One order is under way at a time, so that two of them cannot overtake each other. */
function reordering(id: string, ids: readonly string[]): Effect {
  return sending(id, { type: "reorder_tasks", task_ids: [...ids] });
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
    effects: sent === null ? [reordering(state.id, ids)] : [],
  };
}

/** The order that was sent is answered: what was moved meanwhile is sent now, a refusal takes all of it back. */
export function orderAnswered(state: TasksState, answer: Answer, model: Model): Step | undefined {
  const { moved, id } = state;
  if (answer.name !== "send" || answer.call.command.type !== "reorder_tasks") return undefined;
  if (answer.call.id !== id || moved?.sent == null) return undefined;
  if (!answer.ok) {
    const { moved: _, ...rest } = state;
    return { model: withNotice(replaceScreen(model, rest), answer.error.message, "bad") };
  }
  if (!isDeepStrictEqual(moved.ids, moved.sent)) {
    const next = { ...state, moved: { ...moved, sent: moved.ids } };
    return { model: replaceScreen(model, next), effects: [reordering(id, moved.ids)] };
  }
  const revision = answer.value.revision ?? 0;
  return { model: replaceScreen(model, { ...state, moved: { ...moved, sent: null, revision } }) };
}
