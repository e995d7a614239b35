import { hash } from "node:crypto";
import { isPlain, Revision } from "@ccw-loop/core";

/** 128 bits of SHA-256 as hexadecimal digits. */
export function digestOf(text: string): string {
  return hash("sha256", text).slice(0, 32);
}

/** Digests of frozen lists, and of frozen objects in lists. */
const known = new WeakMap<object, string>();

/**
 * The etag of a state of which only changes are written: as if every list were written as the digest of its items', so that it
 * costs what changed. `rest` is the state without its etag, frozen.
 */
export function etagOfParts(rest: object): string {
  return digestOf(JSON.stringify(shortened(rest)));
}

/** Neither a list nor an object that has one stands there as it is, so nothing else looks like a digest of one. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return { list: remembered(value, () => value.map(shortenedItem)) };
  if (!isPlain(value)) return value;
  const fields = Object.entries(value).map(([key, part]) => [key, shortened(part)]);
  return { fields: Object.fromEntries(fields) };
}

function shortenedItem(item: unknown): unknown {
  return isPlain(item) ? { item: remembered(item, () => item) } : shortened(item);
}

function remembered(value: object, content: () => unknown): string {
  const before = known.get(value);
  if (before !== undefined) return before;
  const digest = digestOf(JSON.stringify(content()));
  if (Object.isFrozen(value)) known.set(value, digest);
  return digest;
}

/** Whether a state document has the etag that its content has; layout and spaces do not matter. */
export function hasOwnEtag(raw: unknown): raw is { etag: string; revision: number } {
  if (typeof raw !== "object" || raw === null || !("etag" in raw) || !("revision" in raw)) {
    return false;
  }
  const { etag, ...rest } = raw;
  if (!Revision.safeParse(raw.revision).success) return false;
  return etag === digestOf(JSON.stringify(rest)) || etag === etagOfParts(rest);
}
