/** A JSON object as it was parsed. */
export type Plain = Record<string, unknown>;

/** True for a JSON object: not null, not a list. */
export function isPlain(value: unknown): value is Plain {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The object with fields under their new names: `names` maps old to new. An old field stays where it is,
 * as an unknown field, when the new name is there as well; nothing is lost.
 */
export function rename(value: Plain, names: Readonly<Record<string, string>>): Plain {
  const copy = { ...value };
  for (const [old, current] of Object.entries(names)) {
    if (!Object.hasOwn(copy, old) || Object.hasOwn(copy, current)) continue;
    copy[current] = copy[old];
    delete copy[old];
  }
  return copy;
}

/** The object with `change` applied to the field `key`, when it has that field. */
export function mapField(value: Plain, key: string, change: (field: unknown) => unknown): Plain {
  return Object.hasOwn(value, key) ? { ...value, [key]: change(value[key]) } : value;
}

/** `change` applied to every object of a list; anything else is left alone. */
export function mapObjects(value: unknown, change: (item: Plain) => Plain): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((item: unknown) => (isPlain(item) ? change(item) : item));
}

/** Whether two parsed JSON values say the same; the order of keys does not matter, null and nothing are alike. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b || (a ?? null) === (b ?? null)) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((value, i) => sameValue(value, b[i]));
  }
  if (!isPlain(a) || !isPlain(b)) return false;
  return [...Object.keys(a), ...Object.keys(b)].every((key) =>
    sameValue(ownOf(a, key), ownOf(b, key)),
  );
}

/** The value of the object's own field; undefined for one that it does not have. */
export function ownOf(value: Plain, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
