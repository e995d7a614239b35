import { expect, test } from "vitest";
import { fieldSpans } from "../src/components/field.tsx";
import { span, textOf } from "../src/components/line.ts";
import { fieldOf } from "../src/model/field.ts";

/** What terminals draw in columns of their own choice, and how it is shown. */
const SHOWN = [
  ["a skin tone", "👍🏽 fine", "👍 fine"],
  ["a family", "👨‍👩‍👧‍👦 x", "👨 x"],
  ["a joined flag with a variation", "🏳️‍🌈", "🏳"],
  ["joined with variations and tones", "👩🏽‍❤️‍💋‍👨🏿", "👩"],
  ["a variation", "❤️ ⚠️", "❤ ⚠"],
  ["a keycap", "1️⃣ 2⃣", "1 2"],
  ["a flag of a region", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏴"],
  ["soft hyphens and fillers", "a\u00ADb\u3164c\u2060d", "abcd"],
  ["a tone of nobody stays", "🏽", "🏽"],
  ["a flag stays", "🇩🇪 漢字", "🇩🇪 漢字"],
  ["letters that are kept from joining", "می\u200Cخواهم", "می\u200Cخواهم"],
  ["a conjunct has its consonants beside each other", "क्\u200Dष क्ष", "क्\u200Cष क्\u200Cष"],
] as const;

test.each(SHOWN)("%s is shown so that every terminal measures it alike", (_, text, shown) => {
  expect(span(text).text).toBe(shown);
  const look = { columns: 40, focused: false };
  expect(textOf(fieldSpans(fieldOf(text), look))).toBe(shown);
});

test("the cursor of a field is seen on what is not", () => {
  const field = { text: "a\u00ADb", cursor: 1 };
  expect(fieldSpans(field, { columns: 9, focused: true })).toMatchObject([
    { text: "a" },
    { text: " ", inverse: true },
    { text: "b" },
  ]);
});
