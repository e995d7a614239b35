import type { ListPosition } from "../ports/store.ts";

/** The order of every list: the newest change first; equal ones by id, so that pages do not overlap. */
export function newestFirst(a: ListPosition, b: ListPosition): number {
  if (a.updated_at !== b.updated_at) return a.updated_at < b.updated_at ? 1 : -1;
  return a.loop_id === b.loop_id ? 0 : a.loop_id < b.loop_id ? -1 : 1;
}

/** How many of the sorted loops lie before or at that place, whether its loop is still there or not. */
export function countUpTo(sorted: readonly ListPosition[], place: ListPosition): number {
  const next = sorted.findIndex((one) => newestFirst(one, place) > 0);
  return next < 0 ? sorted.length : next;
}
