import { isPlain, type Plain } from "@ccw-loop/core";

/**
 * How one JSON value is made from another: `to` is in its place, an object has these fields made from its own, or a list
 * has items made from its own or others `put` where some were.
 */
export type Patch =
  | { to: unknown }
  | {
      fields: Record<string, Patch>;
      without?: string[] | undefined;
      /** All its fields, where they do not come in the order of the old ones with the new ones behind. */
      order?: string[] | undefined;
    }
  | { items: Record<string, Patch> }
  | { at: number; take: number; put: unknown[] };

/**
 * What makes `after` from `before`, which is parsed JSON; null when both are the same text, the order of their fields
 * included.
 */
export function patchFor(before: unknown, after: unknown): Patch | null {
  if (before === after) return null;
  if (Array.isArray(before) && Array.isArray(after)) return patchForList(before, after);
  if (isPlain(before) && isPlain(after)) return patchForObject(before, after);
  return { to: after ?? null };
}

function patchForObject(before: Plain, after: Plain): Patch | null {
  const changed: [string, Patch][] = [];
  // What is undefined has no place in JSON.
  const order = Object.keys(after).filter((key) => after[key] !== undefined);
  const stays = new Set(order);
  for (const key of order) {
    const patch = Object.hasOwn(before, key)
      ? patchFor(before[key], after[key])
      : { to: after[key] };
    if (patch) changed.push([key, patch]);
  }
  const without = Object.keys(before).filter((key) => !stays.has(key));
  const fields = Object.fromEntries(changed);
  const patch = { fields, ...(without.length > 0 ? { without } : {}) };
  const asIs = orderAfter(before, patch);
  if (order.some((key, n) => key !== asIs[n])) return { ...patch, order };
  return changed.length + without.length > 0 ? patch : null;
}

function orderAfter(
  before: Plain,
  { fields, without = [] }: { fields: Plain; without?: string[] | undefined },
): string[] {
  const gone = new Set(without);
  const stay = Object.keys(before).filter((key) => !gone.has(key));
  return [...stay, ...Object.keys(fields).filter((key) => !Object.hasOwn(before, key))];
}

function patchForList(before: readonly unknown[], after: readonly unknown[]): Patch | null {
  const shorter = Math.min(before.length, after.length);
  const same = (a: unknown, b: unknown) => a === b || JSON.stringify(a) === JSON.stringify(b);
  let at = 0;
  while (at < shorter && same(before[at], after[at])) at += 1;
  let end = 0;
  while (end < shorter - at && same(before.at(-1 - end), after.at(-1 - end))) end += 1;
  const take = before.length - end - at;
  const put = after.slice(at, after.length - end);
  if (take !== put.length) return { at, take, put };
  const items = put.flatMap((one, n): [string, Patch][] => {
    const patch = patchFor(before[at + n], one);
    return patch ? [[String(at + n), patch]] : [];
  });
  return items.length > 0 ? { items: Object.fromEntries(items) } : null;
}

/**
 * The value that a patch makes from `before`, which stays as it is; what did not change is shared with it. Throws a
 * TypeError for what is no patch, and for one of another value.
 */
export function patched(before: unknown, patch: unknown): unknown {
  if (!isPlain(patch)) throw noPatch();
  if (Object.hasOwn(patch, "to")) return patch.to;
  if (isPlain(patch.fields)) return patchedObject(before, patch.fields, patch);
  if (!Array.isArray(before)) throw noPatch();
  if (isPlain(patch.items)) return patchedItems(before, patch.items);
  const { at, take, put } = patch;
  if (!isCount(at) || !isCount(take) || at + take > before.length || !Array.isArray(put)) {
    throw noPatch();
  }
  return [...before.slice(0, at), ...put, ...before.slice(at + take)];
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function patchedObject(before: unknown, fields: Plain, { without, order }: Plain): unknown {
  if (!isPlain(before)) throw noPatch();
  const made = (key: string) => {
    if (!Object.hasOwn(fields, key)) return before[key];
    const own = fields[key];
    return Object.hasOwn(before, key) ? patched(before[key], own) : patched(undefined, own);
  };
  const keys = namesIn(order) ?? orderAfter(before, { fields, without: namesIn(without) });
  return Object.fromEntries(keys.map((key) => [key, made(key)]));
}

function patchedItems(before: readonly unknown[], items: Plain): unknown {
  const list = [...before];
  for (const [index, patch] of Object.entries(items)) {
    const n = Number(index);
    if (!(n in list)) throw noPatch();
    list[n] = patched(list[n], patch);
  }
  return list;
}

function namesIn(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.map(String) : undefined;
}

function noPatch(): TypeError {
  return new TypeError("What changed does not fit the state before it.");
}
