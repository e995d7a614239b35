import { z } from "zod";
import { isPlain, type Plain } from "./plain.ts";

/**
 * What `schema.parse(next)` gives, when `known` is what an earlier parse gave: what is the very same in both is not looked
 * at again. A step changes little of a loop's state, and its store parses all of it at every commit. Throws the
 * ZodError of the whole.
 */
export function parseChanged<T>(schema: z.ZodType<T>, next: unknown, known: T | undefined): T {
  try {
    return parsed(schema, next, known) as T;
  } catch {
    return schema.parse(next);
  }
}

function parsed(schema: z.ZodType, next: unknown, known: unknown): unknown {
  if (next === undefined || known === undefined) return schema.parse(next);
  if (next === known) return next;
  if (next === null || known === null || hasChecks(schema)) return schema.parse(next);
  if (isWrapper(schema)) return parsed(schema.def.innerType as z.ZodType, next, known);
  if (schema instanceof z.ZodArray && Array.isArray(next) && Array.isArray(known)) {
    return next.map((one, i) => parsed(schema.def.element as z.ZodType, one, known[i]));
  }
  if (schema instanceof z.ZodObject && isPlain(next) && isPlain(known)) {
    return parsedObject(schema, next, known);
  }
  return schema.parse(next);
}

/** In the order of a parse: the keys of the schema first, then the others as they come. */
function parsedObject(schema: z.ZodObject, next: Plain, known: Plain): unknown {
  const { shape, catchall } = schema.def;
  if (!(catchall instanceof z.ZodUnknown)) return schema.parse(next);
  const result: Plain = {};
  for (const [key, part] of Object.entries(shape)) {
    const value = parsed(part as z.ZodType, next[key], known[key]);
    if (value !== undefined) result[key] = value;
  }
  for (const key in next) {
    if (!Object.hasOwn(shape, key) && key !== "__proto__") result[key] = next[key];
  }
  return result;
}

/** Schemas that change nothing about a value that is there. */
function isWrapper(
  schema: z.ZodType,
): schema is z.ZodOptional | z.ZodNullable | z.ZodDefault | z.ZodPrefault {
  return (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  );
}

function hasChecks({ def }: z.ZodType): boolean {
  return (def.checks?.length ?? 0) > 0;
}
