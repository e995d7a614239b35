/**
 * How many brackets of a JSON text may be open at once. What is nested deeper overflows the stack of whoever looks
 * through it, so nothing that comes from a file is read beyond this depth, and no commit is written beyond it.
 */
export const MAX_JSON_DEPTH = 256;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** What the text holds when it is JSON that is not nested too deep; undefined otherwise, and where there is no text. */
export function tryParseJson(text: string | null | undefined): unknown {
  // The parser keeps what it needs per level, so it must not be the one that notices.
  if (text === null || text === undefined || isTextDeeper(text, MAX_JSON_DEPTH)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether more than `most` brackets are open at once in a JSON text. */
export function isTextDeeper(text: string, most: number): boolean {
  return brokenBound(text, { depth: most }) !== null;
}

/**
 * The bound that a JSON text breaks first: brackets open at once, or values in all, its own one included; null when it
 * keeps both. Linear, and keeps nothing.
 */
export function brokenBound(
  text: string,
  most: { depth: number; values?: number },
): "depth" | "values" | null {
  const { depth: deepest, values: mostValues = Number.POSITIVE_INFINITY } = most;
  let depth = 0;
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = stringEnd(text, at);
      if (at < 0) return null;
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      values += 1;
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
    else if (code === 0x2c) values += 1;
    if (depth > deepest) return "depth";
    if (values > mostValues) return "values";
  }
  return null;
}

/** The quote that closes the string begun at `at`; -1 when none does. */
function stringEnd(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let from = end;
    while (text.charCodeAt(from - 1) === BACKSLASH) from -= 1;
    if ((end - from) % 2 === 0) return end;
  }
  return -1;
}

/** Whether a value is nested deeper than `most` levels. What is the very same in `known` is not looked at again. */
export function isValueDeeper(value: unknown, most: number, known?: unknown): boolean {
  if (typeof value !== "object" || value === null || value === known) return false;
  if (most === 0) return true;
  const before = typeof known === "object" && known !== null ? known : {};
  return Object.entries(value).some(([key, part]) =>
    isValueDeeper(part, most - 1, Reflect.get(before, key)),
  );
}

export type Plain = Record<string, unknown>;

/** True for a JSON object: not null, not a list. */
export function isPlain(value: unknown): value is Plain {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The objects of an NDJSON text; lines that are none are left out. */
export function ndjsonObjects(text: string): Plain[] {
  return text.split("\n").map(tryParseJson).filter(isPlain);
}

type Undefinable<T> = { [K in keyof T]-?: undefined extends T[K] ? K : never }[keyof T];

/** The fields that are given, for types that take a field or none. */
export function withoutUndefined<T extends object>(
  value: T,
): Omit<T, Undefinable<T>> & { [K in Undefinable<T>]?: Exclude<T[K], undefined> } {
  const given = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(given) as ReturnType<typeof withoutUndefined<T>>;
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

export function omit<T extends object, K extends keyof T>(value: T, ...keys: K[]): Omit<T, K> & T {
  const copy = { ...value };
  for (const key of keys) delete copy[key];
  return copy;
}

export function mapField(value: Plain, key: string, change: (field: unknown) => unknown): Plain {
  return Object.hasOwn(value, key) ? { ...value, [key]: change(value[key]) } : value;
}

/** `change` applied to every object of a list; anything else is left alone. */
export function mapObjects(value: unknown, change: (item: Plain) => Plain): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((item: unknown) => (isPlain(item) ? change(item) : item));
}

/** The value with everything in it made unchangeable. */
export function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
  return value;
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

export function ownOf(value: Plain, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

/**
 * What a schema with unknown fields gives, by its known fields alone: a misspelt field does not compile. Unknown fields
 * are there all the same, and are kept; `ownOf` reads one.
 */
export type Known<T> = T extends readonly (infer E)[]
  ? Known<E>[]
  : T extends object
    ? [keyof WithoutIndex<T>] extends [never]
      ? T
      : { [K in keyof WithoutIndex<T>]: Known<WithoutIndex<T>[K]> }
    : T;

type WithoutIndex<T> = { [K in keyof T as string extends K ? never : K]: T[K] };
