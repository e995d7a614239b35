import { type DevelopTask, type LoopState, tasksOf } from "@ccw-loop/core";
import type { Moved, TasksState } from "./state.ts";

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
export function swapped(ids: readonly string[], from: number, by: 1 | -1): string[] | undefined {
  const to = from + by;
  const [one, other] = [ids[from], ids[to]];
  return one === undefined || other === undefined ? undefined : ids.with(from, other).with(to, one);
}

export function sameOrder(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, i) => id === b[i]);
}
