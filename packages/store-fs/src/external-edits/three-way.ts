import { isDeepStrictEqual } from "node:util";
import { isPlain, itemsById, ownOf, type Plain } from "@ccw-loop/core";

/**
 * The merged value, and the dotted paths that took theirs (`changed`), kept ours against theirs (`kept`), or kept a later
 * edit of another program against this one (`superseded`).
 */
export interface ThreeWay {
  value: unknown;
  changed: string[];
  kept: string[];
  superseded: string[];
}

/** One step into a value: a field of an object, or the thing of a list that has that id. */
export type Step = { key: string } | { id: string };

/**
 * Who wrote the value that we have at a place, which they want otherwise: another program `earlier` or `later` than
 * theirs, or we ourselves (null), which alone is a conflict. `path` names the place in words.
 */
export type Authorship = (
  path: string,
  place: readonly Step[],
  ours: unknown,
) => "earlier" | "later" | null;

type Keyed = Map<string, unknown>;

/**
 * `base` is what both began with. What only they changed becomes theirs; what both changed differently stays
 * ours, unless ours is an earlier edit of another program. Objects are merged by key and lists of things with an
 * `id` by that id; everything else is one value. A key that they leave out is no change: older tools do not know
 * every field.
 */
export function threeWay(
  base: unknown,
  ours: unknown,
  theirs: unknown,
  path: string,
  writtenBy: Authorship = () => null,
): ThreeWay {
  const changed: string[] = [];
  const kept: string[] = [];
  const superseded: string[] = [];

  function merge(
    base: unknown,
    ours: unknown,
    theirs: unknown,
    path: string,
    place: readonly Step[],
  ): unknown {
    if (theirs === undefined || same(theirs, base) || same(theirs, ours)) return ours;
    if (isPlain(ours) && isPlain(theirs)) {
      return mergeFields(isPlain(base) ? base : {}, ours, theirs, path, place);
    }
    const lists = [itemsById(base ?? []), itemsById(ours), itemsById(theirs)] as const;
    if (lists[0] && lists[1] && lists[2]) {
      return mergeLists(lists[0], lists[1], lists[2], path, place);
    }
    return takes(same(ours, base), ours, path, place) ? theirs : ours;
  }

  /** Whether theirs comes in the place of ours, which is noted. */
  function takes(untouched: boolean, ours: unknown, path: string, place: readonly Step[]): boolean {
    const author = untouched ? "earlier" : writtenBy(path, place, ours);
    if (author === null) kept.push(path);
    else (author === "earlier" ? changed : superseded).push(path);
    return author === "earlier";
  }

  function mergeFields(
    base: Plain,
    ours: Plain,
    theirs: Plain,
    path: string,
    place: readonly Step[],
  ): Plain {
    const entries = Object.entries(ours);
    for (const [key, value] of Object.entries(theirs)) {
      const at = entries.find(([name]) => name === key);
      const inner = [...place, { key }];
      const merged = merge(ownOf(base, key), at?.[1], value, `${path}.${key}`, inner);
      if (at) at[1] = merged;
      else if (merged !== undefined) entries.push([key, merged]);
    }
    return Object.fromEntries(entries);
  }

  function mergeLists(
    base: Keyed,
    ours: Keyed,
    theirs: Keyed,
    path: string,
    place: readonly Step[],
  ): unknown[] {
    const merged = new Map(ours);
    for (const [id, value] of theirs) {
      const inner = [...place, { id }];
      const at = `${path}[${id}]`;
      if (ours.has(id) || !base.has(id)) {
        merged.set(id, merge(base.get(id), ours.get(id), value, at, inner));
      } else if (!same(value, base.get(id)) && takes(false, undefined, at, inner)) {
        merged.set(id, value);
      }
    }
    for (const id of base.keys()) {
      if (theirs.has(id) || !ours.has(id)) continue;
      const untouched = same(ours.get(id), base.get(id));
      const at = `${path}[${id}]`;
      if (takes(untouched, ours.get(id), at, [...place, { id }])) merged.delete(id);
    }
    const wanted = [...theirs.keys()];
    const moved = !same(
      wanted.filter((id) => base.has(id)),
      [...base.keys()].filter((id) => theirs.has(id)),
    );
    const present = [...merged.keys()];
    const wishes = moved ? [...new Set([...wanted, ...present])] : present;
    const order = wishes.filter((id) => merged.has(id));
    if (!same(order, present)) changed.push(path);
    return order.map((id) => merged.get(id));
  }

  const value = merge(base, ours, theirs, path, [{ key: path }]);
  return { value, changed, kept, superseded };
}

/** What stands at a place; null when nothing is said about it. A thing that its list does not name was taken out. */
export function lookUp(value: unknown, place: readonly Step[]): { value: unknown } | null {
  let found: unknown = value;
  for (const [n, step] of place.entries()) {
    if ("key" in step) {
      if (!isPlain(found) || !Object.hasOwn(found, step.key)) return null;
      found = found[step.key];
    } else {
      const things = itemsById(found);
      if (!things || (!things.has(step.id) && n < place.length - 1)) return null;
      found = things.get(step.id);
    }
  }
  return { value: found };
}

function same(a: unknown, b: unknown): boolean {
  return a === b || isDeepStrictEqual(a, b);
}
