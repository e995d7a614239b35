import { diffArrays } from "diff";

/** What went and what came at one place, as indexes into the two lists. */
export interface Hunk {
  removed: number[];
  added: number[];
  /** Where in the second list it stands. */
  at: number;
}

/** A diff with more changes than this takes too long; the lists are then told apart as sets. */
const MOST_EDITS = 1500;

/** How two lists differ, in order. */
export function diffLists(before: readonly string[], after: readonly string[]): Hunk[] {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  let end = 0;
  const least = Math.min(before.length, after.length) - start;
  while (end < least && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const old = before.slice(start, before.length - end);
  const now = after.slice(start, after.length - end);
  if (old.length === 0 && now.length === 0) return [];
  const changes = diffArrays(old, now, { maxEditLength: MOST_EDITS });
  if (changes === undefined) return [asSets(old, now, start)];
  const hunks: Hunk[] = [];
  let hunk: Hunk | undefined;
  let left = start;
  let right = start;
  for (const { added, removed, count = 0 } of changes) {
    if (!added && !removed) {
      hunk = undefined;
      left += count;
      right += count;
      continue;
    }
    if (!hunk) {
      hunk = { removed: [], added: [], at: right };
      hunks.push(hunk);
    }
    for (let i = 0; i < count; i += 1) {
      if (removed) hunk.removed.push(left++);
      else hunk.added.push(right++);
    }
  }
  return hunks;
}

/** Everything that is only in one of the lists; all of both when only their order differs. */
function asSets(old: readonly string[], now: readonly string[], offset: number): Hunk {
  const removed = missingIn(old, now);
  const added = missingIn(now, old);
  const all = (list: readonly string[]) => list.map((_, at) => at);
  const moved = removed.length === 0 && added.length === 0;
  const shift = (list: number[]) => list.map((at) => at + offset);
  return {
    removed: shift(moved ? all(old) : removed),
    added: shift(moved ? all(now) : added),
    at: offset,
  };
}

/** Places in `list` whose text `other` has not, or not so often. */
export function missingIn(list: readonly string[], other: readonly string[]): number[] {
  const left = new Map<string, number>();
  for (const text of other) left.set(text, (left.get(text) ?? 0) + 1);
  const missing: number[] = [];
  list.forEach((text, at) => {
    const count = left.get(text) ?? 0;
    if (count === 0) missing.push(at);
    else left.set(text, count - 1);
  });
  return missing;
}
