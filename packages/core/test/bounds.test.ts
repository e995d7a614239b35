import { describe, expect, test } from "vitest";
import {
  decide,
  Epoch,
  isTextDeeper,
  isValueDeeper,
  LAST_EPOCH,
  LAST_REVISION,
  type LoopEdit,
  MAX_JSON_DEPTH,
  MAX_LIMITS,
  Revision,
  readLoopState,
  tryParseJson,
} from "../src/index.ts";
import { AT, loop } from "./given.ts";

const NO_NUMBERS = [1e308, Number.POSITIVE_INFINITY, Number.NaN, -1, -0, 0, "5", null, [5]];

describe("every limit of a loop has a highest value, which a refusal names", () => {
  test.each(Object.entries(MAX_LIMITS))("%s", (name, highest) => {
    const edit = (value: unknown) =>
      (name === "max_iterations"
        ? { max_iterations: value }
        : { limits: { [name]: value } }) as LoopEdit;
    const state = loop();
    expect(decide(state, { type: "edit", changes: edit(highest) }, AT)).toHaveLength(1);
    expect(readLoopState({ ...state, ...edit(highest) })).toMatchObject(edit(highest));
    for (const value of [...NO_NUMBERS, highest + 1]) {
      const command = { type: "edit" as const, changes: edit(value) };
      expect(() => decide(state, command, AT)).toThrow(
        new RegExp(`${name} must be .* ${highest}\\.`),
      );
      expect(() => readLoopState({ ...state, ...edit(value) })).toThrow(`${highest})`);
    }
  });
});

test.each([
  ["a revision", Revision, 1, LAST_REVISION],
  ["an epoch", Epoch, 0, LAST_EPOCH],
] as const)("%s has ten digits at most", (_, schema, first, last) => {
  for (const value of [first, last]) expect(schema.safeParse(value).success).toBe(true);
  expect(String(last)).toMatch(/^\d{10}$/);
  for (const value of [first - 1, last + 1, 1.5, 1e308, Number.NaN, String(first)]) {
    expect([value, schema.safeParse(value).success]).toEqual([value, false]);
  }
});

test("a state names no revision that no file can have", () => {
  const state = loop();
  expect(readLoopState({ ...state, revision: LAST_REVISION }).revision).toBe(LAST_REVISION);
  for (const revision of [LAST_REVISION + 1, 1e308, -1, 0.5]) {
    expect(() => readLoopState({ ...state, revision })).toThrow("revision");
  }
});

describe("JSON that is nested deeply", () => {
  const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  const lists = (depth: number) => `${"[".repeat(depth)}1${"]".repeat(depth)}`;

  test.each([objects, lists])("is read to a depth, and never deeper", (nested) => {
    expect(tryParseJson(nested(MAX_JSON_DEPTH))).toBeDefined();
    expect(tryParseJson(nested(MAX_JSON_DEPTH + 1))).toBeUndefined();
    expect(tryParseJson(nested(10_000_000))).toBeUndefined();
    expect(isValueDeeper(tryParseJson(nested(MAX_JSON_DEPTH)), MAX_JSON_DEPTH)).toBe(false);
    expect(isValueDeeper(tryParseJson(nested(MAX_JSON_DEPTH)), MAX_JSON_DEPTH - 1)).toBe(true);
  });

  test("what is unchanged is not looked at again", () => {
    const known = { deep: JSON.parse(lists(50)) };
    expect(isValueDeeper({ ...known, more: 1 }, 10, known)).toBe(false);
    expect(isValueDeeper({ ...known, more: JSON.parse(lists(10)) }, 10, known)).toBe(true);
  });

  test.each([
    '"[[[["',
    '["\\"[[[[", "\\\\", "[[["]',
    '{"a\\\\":"[[[[\\\\\\"[[[["}',
    '"',
    "]]]][",
    "[".repeat(3),
  ])("brackets in strings do not count: %s", (text) => {
    expect(isTextDeeper(text, 3)).toBe(false);
  });

  test.each(["[[[[", '{"a":[{"b":[', '["\\\\",[[["', '"\\"",[[[['])("these do: %s", (text) => {
    expect(isTextDeeper(text, 3)).toBe(true);
  });
});

test.each(["", " ", "{", "NaN", "undefined", null, undefined])("%j is no JSON", (text) => {
  expect(tryParseJson(text)).toBeUndefined();
});
