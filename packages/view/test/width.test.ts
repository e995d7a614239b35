import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { widthOf } from "../src/index.ts";

const between = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => String.fromCodePoint(from + i));

/** Latin, Greek, Cyrillic, punctuation, arrows, what frames are drawn with, symbols; some wide ones and emoji. */
const CHARACTERS = [...between(0x20, 0x500), ...between(0x2010, 0x2030), ...between(0x2190, 0x21b0)]
  .concat(between(0x2500, 0x2620), between(0x2700, 0x2760), between(0x3040, 0x3060))
  .concat([..."👩🇩🏽한"]);

/** What may change the width of a character beside it. */
const NEIGHBORS = ["", "a", "\u0301", "\ufe0f", "\u200d", "\u20e3", "漢"];

describe("the width of a text", () => {
  it("is the one that terminals give it, for every character beside every kind of neighbor", () => {
    const wrong = CHARACTERS.flatMap((character) =>
      NEIGHBORS.map((neighbor) => character + neighbor).filter(
        (text) => widthOf(text) !== stringWidth(text),
      ),
    );
    expect(wrong).toEqual([]);
  });

  it.each([
    ["plain", 5],
    ["─│╭╮", 4],
    ["✔ done → next", 13],
    ["漢字", 4],
    ["👨‍👩‍👧", 2],
  ])("of %s is %i", (text, columns) => {
    expect(widthOf(text)).toBe(columns);
  });
});
