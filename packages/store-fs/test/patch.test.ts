import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { etagOfParts, hasOwnEtag } from "../src/commit/etag.ts";
import { patched, patchFor } from "../src/commit/patch.ts";

const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const value = fc.jsonValue({ maxDepth: 4, noUnicodeString: false } as never).map(json);
/** Two values of which the second was made from the first, as steps of a loop are made. */
const pair = fc
  .tuple(value, value, fc.array(fc.boolean(), { minLength: 5, maxLength: 40 }))
  .map(([before, other, flips]) => {
    let n = 0;
    const flip = () => flips[n++ % flips.length] === true;
    return { before, after: json(mixed(before, other, flip)) };
  });

function mixed(a: unknown, b: unknown, flip: () => boolean): unknown {
  if (flip()) return a;
  if (Array.isArray(a)) {
    const kept = a.map((one) => mixed(one, b, flip)).filter(() => !flip() || flip());
    return flip() ? [...kept, b] : flip() ? [b, ...kept] : kept;
  }
  if (typeof a !== "object" || a === null) return b;
  const entries = Object.entries(a).map(([key, one]) => [key, mixed(one, b, flip)] as const);
  const kept = entries.filter(() => !flip() || flip());
  if (flip()) kept.push(["added", b]);
  if (flip()) kept.reverse();
  return Object.fromEntries(kept);
}

const encoded = (patch: unknown) => JSON.parse(JSON.stringify(patch));

test("what a patch makes is the value that it was made for, to the letter", () => {
  fc.assert(
    fc.property(pair, ({ before, after }) => {
      const patch = patchFor(before, after);
      const text = JSON.stringify(before);
      const made = patch === null ? before : patched(before, encoded(patch));
      expect(JSON.stringify(made)).toBe(JSON.stringify(after));
      expect(JSON.stringify(before)).toBe(text);
      if (patch === null) expect(JSON.stringify(before)).toBe(JSON.stringify(after));
    }),
    { numRuns: 2000 },
  );
});

test.each<[string, unknown, unknown, unknown]>([
  ["a field", { a: 1, b: 2 }, { a: 1, b: 3 }, { fields: { b: { to: 3 } } }],
  ["an item that is added", [1, 2], [1, 2, 3], { at: 2, take: 0, put: [3] }],
  ["an item that is taken out", [1, 2, 3], [1, 3], { at: 1, take: 1, put: [] }],
  [
    "a field of an item",
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { a: 3 }],
    { items: { 1: { fields: { a: { to: 3 } } } } },
  ],
  ["a field that is taken out", { a: 1, b: 2 }, { a: 1 }, { fields: {}, without: ["b"] }],
  ["the order of fields", { a: 1, b: 2 }, { b: 2, a: 1 }, { fields: {}, order: ["b", "a"] }],
  [
    "what JSON has no word for",
    { a: 1, b: [1] },
    { a: 1, b: [undefined], c: undefined },
    { fields: { b: { items: { 0: { to: null } } } } },
  ],
  ["nothing", { a: [{ b: 1 }] }, { a: [{ b: 1 }] }, null],
])("a patch holds what changed: %s", (_, before, after, patch) => {
  expect(patchFor(before, after)).toEqual(patch);
});

test("fields may be called anything", () => {
  const before = JSON.parse('{"__proto__":{"a":1},"1":{"to":2},"constructor":[1]}');
  const after = JSON.parse('{"1":{"to":3},"__proto__":{"a":2},"toString":{"fields":{}}}');
  const made = patched(before, encoded(patchFor(before, after)));
  expect(JSON.stringify(made)).toBe(JSON.stringify(after));
  expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
});

test("deeply nested values are compared in reasonable time", () => {
  const nested = (text: string) => JSON.parse(`${"[".repeat(250)}"${text}"${"]".repeat(250)}`);
  const patch = patchFor(nested("a"), nested("b"));
  expect(patched(nested("a"), patch)).toEqual(nested("b"));
});

test.each([
  [{ a: 1 }, { items: { 0: { to: 1 } } }],
  [[1], { items: { 1: { to: 1 } } }],
  [[1], { at: 0, take: 2, put: [] }],
  [[1], { at: -1, take: 1, put: [] }],
  [[1], { at: 0, take: -1, put: [] }],
  [[1], { at: 0.5, take: 0.5, put: [] }],
  [[1], { at: 0, take: 1, put: "text" }],
  [[1], { fields: {} }],
  [{ a: 1 }, { fields: { b: { fields: {} } } }],
  [{ a: 1 }, null],
  [{ a: 1 }, "text"],
  [1, {}],
])("what is no patch of a value is refused: %j, %j", (before, patch) => {
  expect(() => patched(before, patch)).toThrow(TypeError);
});

describe("an etag of parts", () => {
  test("is that of the same content, and of no other", () => {
    fc.assert(
      fc.property(pair, ({ before, after }) => {
        const [one, other] = [
          { revision: 1, value: before },
          { revision: 1, value: after },
        ];
        const same = JSON.stringify(one) === JSON.stringify(other);
        expect(etagOfParts(one) === etagOfParts(other)).toBe(same);
        expect(hasOwnEtag({ ...one, etag: etagOfParts(one) })).toBe(true);
        expect(hasOwnEtag({ ...one, etag: etagOfParts(other) })).toBe(same);
      }),
    );
  });

  test("takes no text for an object that has it as its digest", () => {
    const item = { a: 1 };
    const text = etagOfParts(item);
    const values = [
      [item],
      [text],
      [{ item: text }],
      { item: text },
      { list: text },
      [[item]],
      item,
    ];
    const etags = values.map((value) => etagOfParts({ value }));
    expect(new Set(etags).size).toBe(values.length);
  });
});
