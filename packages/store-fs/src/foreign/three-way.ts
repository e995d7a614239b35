import { isDeepStrictEqual } from "node:util";

/** The merged value, and the dotted paths that took theirs (`changed`) or kept ours against theirs (`kept`). */
export interface ThreeWay {
  value: unknown;
  changed: string[];
  kept: string[];
}

type Fields = Record<string, unknown>;
type Keyed = Map<string, unknown>;

/**
 * `base` is what both began with. What only they changed becomes theirs; what both changed differently stays
 * ours. Objects are merged by key and lists of things with an `id` by that id; everything else is one value.
 * A key that they leave out is no change: older tools do not know every field.
 */
export function threeWay(base: unknown, ours: unknown, theirs: unknown, path: string): ThreeWay {
  const changed: string[] = [];
  const kept: string[] = [];

  function merge(base: unknown, ours: unknown, theirs: unknown, path: string): unknown {
    if (theirs === undefined || same(theirs, base) || same(theirs, ours)) return ours;
    if (isFields(ours) && isFields(theirs)) {
      return mergeFields(isFields(base) ? base : {}, ours, theirs, path);
    }
    const lists = [keyed(base ?? []), keyed(ours), keyed(theirs)] as const;
    if (lists[0] && lists[1] && lists[2]) return mergeLists(lists[0], lists[1], lists[2], path);
    if (same(ours, base)) {
      changed.push(path);
      return theirs;
    }
    kept.push(path);
    return ours;
  }

  function mergeFields(base: Fields, ours: Fields, theirs: Fields, path: string): Fields {
    const entries = Object.entries(ours);
    for (const [key, value] of Object.entries(theirs)) {
      const at = entries.find(([name]) => name === key);
      const merged = merge(ownOf(base, key), at?.[1], value, `${path}.${key}`);
      if (at) at[1] = merged;
      else if (merged !== undefined) entries.push([key, merged]);
    }
    return Object.fromEntries(entries);
  }

  function mergeLists(base: Keyed, ours: Keyed, theirs: Keyed, path: string): unknown[] {
    const merged = new Map(ours);
    for (const [id, value] of theirs) {
      if (!ours.has(id) && base.has(id)) {
        if (!same(value, base.get(id))) kept.push(`${path}[${id}]`);
        continue;
      }
      merged.set(id, merge(base.get(id), ours.get(id), value, `${path}[${id}]`));
    }
    for (const id of base.keys()) {
      if (theirs.has(id) || !ours.has(id)) continue;
      const untouched = same(ours.get(id), base.get(id));
      (untouched ? changed : kept).push(`${path}[${id}]`);
      if (untouched) merged.delete(id);
    }
    const wanted = [...theirs.keys()];
    const moved = !same(
      wanted.filter((id) => base.has(id)),
      [...base.keys()].filter((id) => theirs.has(id)),
    );
    const order = moved ? [...wanted, ...merged.keys()] : [...merged.keys()];
    return [...new Set(order)].filter((id) => merged.has(id)).map((id) => merged.get(id));
  }

  return { value: merge(base, ours, theirs, path), changed, kept };
}

function same(a: unknown, b: unknown): boolean {
  return a === b || isDeepStrictEqual(a, b);
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function ownOf(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

/** A list whose elements have ids of their own, each once; null for any other value. */
function keyed(value: unknown): Keyed | null {
  if (!Array.isArray(value)) return null;
  const map: Keyed = new Map();
  for (const item of value) {
    if (!isFields(item) || typeof item.id !== "string" || map.has(item.id)) return null;
    map.set(item.id, item);
  }
  return map;
}
