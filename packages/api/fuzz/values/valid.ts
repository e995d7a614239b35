import * as fc from "fast-check";
import { lastOf, type Schema } from "../document.ts";
import type { Known } from "../known.ts";
import { strangeText } from "./wild.ts";

/** What values are made from: the document's named schemas, and what earlier answers carried. */
export interface Source {
  schemas: Readonly<Record<string, Schema>>;
  known: Known;
}

/** Values that fit the schema; under a name that answers have carried, often one of those values instead. */
export function valid(schema: Schema, source: Source, name = ""): fc.Arbitrary<unknown> {
  const fresh = made(schema, source, name);
  if (schema.type === "object" || schema.type === "array") return fresh;
  return fc
    .tuple(fresh, fc.nat())
    .map(([value, n]) => (n % 2 === 0 ? (source.known.pick(name, n >> 1) ?? value) : value));
}

function made(schema: Schema, source: Source, name: string): fc.Arbitrary<unknown> {
  if (typeof schema.$ref === "string") {
    return valid(source.schemas[lastOf(schema.$ref)] ?? {}, source, name);
  }
  if ("const" in schema) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  const options = optionsOf(schema);
  if (options.length > 0) return fc.oneof(...options.map((one) => valid(one, source, name)));
  switch (schema.type) {
    case "string":
      return text(schema);
    case "integer":
      return whole(schema);
    case "number":
      return fc.oneof(whole(schema), fraction(schema));
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array": {
      const items = valid((schema.items as Schema | undefined) ?? {}, source, name);
      return fc.array(items, { minLength: Number(schema.minItems ?? 0), maxLength: 5 });
    }
    case "object":
      return fc.record(
        Object.fromEntries(
          Object.entries(propertiesOf(schema)).map(([key, one]) => [key, valid(one, source, key)]),
        ),
        { requiredKeys: requiredOf(schema), noNullPrototype: true },
      );
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

export function optionsOf(schema: Schema): Schema[] {
  return ((schema.anyOf ?? schema.oneOf) as Schema[] | undefined) ?? [];
}

export function propertiesOf(schema: Schema): Record<string, Schema> {
  return (schema.properties as Record<string, Schema> | undefined) ?? {};
}

export function requiredOf(schema: Schema): string[] {
  return (schema.required as string[] | undefined) ?? [];
}

function text({ pattern, minLength = 0 }: Schema): fc.Arbitrary<string> {
  if (typeof pattern === "string") return matching(pattern);
  const least = Number(minLength);
  return fc.oneof(
    { weight: 4, arbitrary: fc.string({ minLength: least, maxLength: 30 }) },
    { weight: 1, arbitrary: fc.string({ unit: "grapheme", minLength: least, maxLength: 30 }) },
    { weight: 1, arbitrary: strangeText.filter(({ length }) => length >= least) },
  );
}

/** Made without the looks ahead and behind, which no generator knows; then those decide. */
function matching(pattern: string): fc.Arbitrary<string> {
  const plain = pattern.replaceAll(/\(\?<?[!=][^()]*\)/g, "");
  const whole = new RegExp(pattern, "u");
  return fc.stringMatching(new RegExp(plain, "u")).filter((one) => whole.test(one));
}

function bounds({ minimum, exclusiveMinimum, maximum }: Schema): { min: number; max: number } {
  const above = exclusiveMinimum === undefined ? -1000 : Math.floor(Number(exclusiveMinimum)) + 1;
  return {
    min: minimum === undefined ? above : Number(minimum),
    max: maximum === undefined ? Number.MAX_SAFE_INTEGER : Number(maximum),
  };
}

function whole(schema: Schema): fc.Arbitrary<number> {
  const { min, max } = bounds(schema);
  const small = { min, max: Math.min(max, min + 20) };
  return fc.oneof(
    { weight: 3, arbitrary: fc.integer(small) },
    { weight: 1, arbitrary: fc.maxSafeInteger().map((n) => Math.min(max, Math.max(min, n))) },
  );
}

function fraction(schema: Schema): fc.Arbitrary<number> {
  const { min } = bounds(schema);
  const max = schema.maximum === undefined ? 1e308 : Number(schema.maximum);
  return fc.double({ min, max, noNaN: true });
}
