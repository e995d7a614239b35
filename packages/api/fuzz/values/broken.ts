import * as fc from "fast-check";
import { lastOf, type Schema } from "../document.ts";
import { optionsOf, propertiesOf, requiredOf, type Source, valid } from "./valid.ts";
import { strangeText } from "./wild.ts";

/** Values that fit the schema but for one keyword, at any place of it. */
export function broken(schema: Schema, source: Source): fc.Arbitrary<unknown> {
  if (typeof schema.$ref === "string") {
    return broken(source.schemas[lastOf(schema.$ref)] ?? {}, source);
  }
  const options = optionsOf(schema);
  if (options.length > 0) return fc.oneof(...options.map((one) => broken(one, source)));
  return fc.oneof(...ofItself(schema, source), ...insideOf(schema, source));
}

/** One keyword of the schema itself is broken. */
function ofItself(schema: Schema, source: Source): fc.Arbitrary<unknown>[] {
  const { type, minLength, minItems, minimum, exclusiveMinimum, maximum, pattern } = schema;
  const ways: fc.Arbitrary<unknown>[] = [otherThan(String(type))];
  if (minLength !== undefined) ways.push(fc.constantFrom("", " "));
  if (minItems !== undefined) ways.push(fc.constant([]));
  if (minimum !== undefined) ways.push(fc.constantFrom(Number(minimum) - 1, -1e308));
  if (exclusiveMinimum !== undefined) ways.push(fc.constantFrom(Number(exclusiveMinimum), -0.5));
  if (maximum !== undefined) ways.push(fc.constantFrom(Number(maximum) + 1, 1e308));
  if (type === "integer") ways.push(fc.constantFrom(0.5, 1e300));
  if (pattern !== undefined || schema.enum !== undefined) ways.push(strangeText);
  if ("const" in schema) ways.push(strangeText);
  if (type === "object") ways.push(...ofKeys(schema, source));
  return ways;
}

function ofKeys(schema: Schema, source: Source): fc.Arbitrary<unknown>[] {
  const whole = valid(schema, source) as fc.Arbitrary<object>;
  const without = requiredOf(schema).map((key) =>
    whole.map((value) => Object.fromEntries(Object.entries(value).filter(([one]) => one !== key))),
  );
  const more = fc
    .tuple(whole, strangeText, fc.jsonValue({ maxDepth: 1 }))
    .map(([value, key, added]) => Object.fromEntries([...Object.entries(value), [key, added]]));
  return [...without, more];
}

/** One keyword of a part is broken. */
function insideOf(schema: Schema, source: Source): fc.Arbitrary<unknown>[] {
  if (schema.type === "array") {
    const list = valid(schema, source) as fc.Arbitrary<unknown[]>;
    const item = broken((schema.items as Schema | undefined) ?? {}, source);
    return [fc.tuple(list, item).map(([values, one]) => [...values, one])];
  }
  return Object.entries(propertiesOf(schema)).map(([key, part]) =>
    fc
      .tuple(valid(schema, source) as fc.Arbitrary<object>, broken(part, source))
      .map(([value, one]) => ({ ...value, [key]: one })),
  );
}

const OF_TYPE: Readonly<Record<string, unknown>> = {
  string: "text",
  number: 1.5,
  integer: 7,
  boolean: true,
  null: null,
  array: [1],
  object: { a: 1 },
};

function otherThan(type: string): fc.Arbitrary<unknown> {
  const others = Object.entries(OF_TYPE).filter(([name]) => name !== type);
  return fc.constantFrom(...others.map(([, value]) => value));
}
