import { widthOf } from "@ccw-loop/view";
import fc from "fast-check";
import { expect, test } from "vitest";
import { fieldSpans } from "../src/components/field.tsx";
import { lineWidth, steady, textOf } from "../src/components/line.ts";
import { edited, emptyField, type Field, fieldOf, inserted } from "../src/model/field.ts";

const press = (key: string, text = "") => ({ key, text });
const keyed = (field: Field, ...keys: string[]) =>
  keys.reduce((now, key) => edited(now, press(key)) ?? now, field);

const MOVES = ["left", "right", "home", "end", "ctrl+left", "ctrl+right", "alt+b", "alt+f"];
const DELETIONS = ["backspace", "delete", "ctrl+w", "ctrl+u", "ctrl+k", "alt+d", "alt+backspace"];

const PIECES = [
  "a",
  " ",
  "漢",
  "é",
  "e\u0301",
  "👩‍🚀",
  "\u200D",
  "\u0301",
  "🇩🇪",
  "👍🏽",
  "x y",
  "\n",
  "\u001B[31m",
];
const steps = fc.array(
  fc.oneof(
    fc.constantFrom(...MOVES, ...DELETIONS).map((key) => press(key)),
    fc.constantFrom(...PIECES).map((text) => press("paste", text)),
    fc.string({ unit: "binary", maxLength: 8 }).map((text) => press("paste", text)),
  ),
  { maxLength: 40 },
);

const segments = new Intl.Segmenter();

test("whatever is typed, pasted, deleted and moved, the cursor stands between two characters", () => {
  fc.assert(
    fc.property(steps, (presses) => {
      let field = emptyField;
      for (const one of presses) {
        field = edited(field, one) ?? field;
        const places = [...segments.segment(field.text)].map(({ index }) => index);
        expect([...places, field.text.length]).toContain(field.cursor);
        expect(field.text).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      }
    }),
  );
});

test("a field shows its cursor within any number of columns, and no more than those", () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 2, max: 40 }), (presses, columns) => {
      const field = presses.reduce((now, one) => edited(now, one) ?? now, emptyField);
      const shown = fieldSpans(field, { columns, focused: true });
      expect(lineWidth(shown)).toBeLessThanOrEqual(columns);
      expect(shown.filter(({ inverse }) => inverse)).toHaveLength(1);
      const whole = fieldSpans(field, { columns, focused: false });
      expect(lineWidth(whole)).toBeLessThanOrEqual(columns);
      if (widthOf(steady(field.text)) < columns) expect(textOf(whole)).toBe(steady(field.text));
    }),
  );
});

test.each([
  ["to the beginning of a word", ["ctrl+left"], "fix the |cart"],
  ["over two words", ["alt+b", "alt+b"], "fix |the cart"],
  ["to the end of a word", ["home", "alt+f"], "fix| the cart"],
  ["behind the last word", ["ctrl+left", "ctrl+right"], "fix the cart|"],
  ["deletes the word before", ["ctrl+w"], "fix the |"],
  ["deletes the word behind", ["home", "alt+d"], "| the cart"],
  ["deletes to the beginning", ["left", "ctrl+u"], "|t"],
  ["deletes to the end", ["home", "right", "ctrl+k"], "f|"],
  ["deletes before the cursor", ["left", "backspace"], "fix the ca|t"],
  ["deletes behind the cursor", ["home", "delete"], "|ix the cart"],
] as const)("%s", (_, keys, expected) => {
  const { text, cursor } = keyed(fieldOf("fix the cart"), ...keys);
  expect(`${text.slice(0, cursor)}|${text.slice(cursor)}`).toBe(expected);
});

test("one key moves over an emoji of several parts, and one deletes it", () => {
  const field = fieldOf("a👩‍🚀");
  expect(keyed(field, "left").cursor).toBe(1);
  expect(keyed(field, "backspace").text).toBe("a");
});

test("what is pasted comes on one line, without control sequences", () => {
  const field = inserted(fieldOf("a"), "b\r\nc\td\u001B]0;title\u0007\u001B[2Je");
  expect(field).toEqual({ text: "ab c de", cursor: 7 });
});

test("keys that mean nothing in a text are left to others", () => {
  expect(edited(emptyField, press("f5"))).toBeUndefined();
  expect(edited(emptyField, press("enter"))).toBeUndefined();
});

test("a long text scrolls with its cursor", () => {
  const field = fieldOf("make the cart charge what the code says");
  expect(textOf(fieldSpans(field, { columns: 12, focused: true }))).toBe("… code says ");
  expect(textOf(fieldSpans(keyed(field, "home"), { columns: 12, focused: true }))).toBe(
    "make the ca…",
  );
  const middle = keyed(field, "home", "alt+f", "alt+f", "alt+f");
  expect(textOf(fieldSpans(middle, { columns: 12, focused: true }))).toBe("… the cart …");
});
