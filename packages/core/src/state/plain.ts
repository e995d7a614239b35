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
