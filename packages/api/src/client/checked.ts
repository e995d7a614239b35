import type { z } from "zod";

/** JSON as `schema` reads it, with every object's fields in the order in which they came. Throws what zod throws. */
export function parseInOrder<S extends z.ZodType>(schema: S, json: string): z.output<S> {
  const value: unknown = JSON.parse(json);
  return inOrderOf(value, schema.parse(value)) as z.output<S>;
}

/** Zod answers in the order of its schema; what is printed here is to be what is printed where the loops are. */
function inOrderOf(came: unknown, read: unknown): unknown {
  if (Array.isArray(came) && Array.isArray(read)) {
    return read.map((item, at) => inOrderOf(came[at], item));
  }
  if (!isObject(came) || !isObject(read)) return read;
  const kept = Object.keys(came).filter((key) => Object.hasOwn(read, key));
  const added = Object.keys(read).filter((key) => !Object.hasOwn(came, key));
  return Object.fromEntries(
    [...kept, ...added].map((key) => [key, inOrderOf(came[key], read[key])] as const),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
