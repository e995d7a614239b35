import * as fc from "fast-check";
import type { AnswerMemory } from "./answer-memory.ts";
import { lastOf, type Schema } from "./document.ts";

/** What values are made from: the document's named schemas, and what earlier answers carried. */
export interface Source {
  schemas: Readonly<Record<string, Schema>>;
  memory: AnswerMemory;
}

/** Values that fit the schema; under a name that answers have carried, often one of those values instead. */
export function valid(schema: Schema, source: Source, name = ""): fc.Arbitrary<unknown> {
  const fresh = made(schema, source, name);
  if (schema.type === "object" || schema.type === "array") return fresh;
  return fc
    .tuple(fresh, fc.nat())
    .map(([value, n]) => (n % 2 === 0 ? (source.memory.pick(name, n >> 1) ?? value) : value));
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

function optionsOf(schema: Schema): Schema[] {
  return ((schema.anyOf ?? schema.oneOf) as Schema[] | undefined) ?? [];
}

function propertiesOf(schema: Schema): Record<string, Schema> {
  return (schema.properties as Record<string, Schema> | undefined) ?? {};
}

function requiredOf(schema: Schema): string[] {
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

/** Values that fit the schema but for one keyword, at any place of it. */
export function invalid(schema: Schema, source: Source): fc.Arbitrary<unknown> {
  if (typeof schema.$ref === "string") {
    return invalid(source.schemas[lastOf(schema.$ref)] ?? {}, source);
  }
  const options = optionsOf(schema);
  if (options.length > 0) return fc.oneof(...options.map((one) => invalid(one, source)));
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
    const item = invalid((schema.items as Schema | undefined) ?? {}, source);
    return [fc.tuple(list, item).map(([values, one]) => [...values, one])];
  }
  return Object.entries(propertiesOf(schema)).map(([key, part]) =>
    fc
      .tuple(valid(schema, source) as fc.Arbitrary<object>, invalid(part, source))
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

/** Texts that have broken programs before: names of prototypes, half characters, controls, long ones. */
export const strangeText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...["__proto__", "constructor", "toString", "hasOwnProperty", "", " ", "null", "0", "-1"],
    ...["..", ".", "../../etc/passwd", "CON", "con.json", "a/b", "a\\b", "%2e%2e", "~", "$(id)"],
    ...["\u0000", "\u001b[31m", "\r\nX-Injected: 1", "\ud800", "\udc00x", "\ufeff", "\u202eabc"],
    ...["e\u0301", "\u{1f469}\u200d\u{1f680}", "<script>alert(1)</script>", "'; --", "{{7*7}}"],
    ...["1e309", "NaN", "2026-02-30T25:61:61Z", "9".repeat(400), "a,b", "*", '"', 'W/"x"'],
  ),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.nat({ max: 20_000 }).map((length) => "ä".repeat(length)),
);

const deep = fc
  .tuple(fc.integer({ min: 1, max: 100_000 }), fc.boolean())
  .map(([depth, isList]) =>
    isList
      ? `${"[".repeat(depth)}${"]".repeat(depth)}`
      : `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`,
  );

const said = [
  ...["null", "true", "0", '""', "[]", "{}", "-0", "1e308", "1e999", "-1e999", "0.1e-400"],
  ...['{"__proto__":{"status":"completed"}}', '{"constructor":{"prototype":{"x":1}}}'],
  ...['{"title":"a","title":"b"}', '{"title":"\\ud800"}', '{"title":"\\u0000"}', '{"a":1e308}'],
  ...[
    "{",
    '{"title":',
    "[1,]",
    "{'a':1}",
    "NaN",
    "// no\n{}",
    "\ufeff{}",
    "\u0000",
    '{"a":1}{"b":2}',
  ],
];

/** Bodies that may be no JSON, no UTF-8, or nothing that anybody would send. */
export const wildBody: fc.Arbitrary<Uint8Array> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...said).map(bytes) },
  { weight: 4, arbitrary: fc.json({ maxDepth: 4 }).map(bytes) },
  { weight: 2, arbitrary: deep.map(bytes) },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 200 }) },
  { weight: 2, arbitrary: fc.tuple(fc.json(), fc.nat()).map(([text, n]) => bytes(cut(text, n))) },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 1, max: 1_200_000 })
      .map((n) => bytes(`{"title":"${"x".repeat(n)}"}`)),
  },
);

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function cut(text: string, n: number): string {
  return text.slice(0, n % (text.length + 1));
}
