import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isSameHypothesis } from "../src/protocol/hypothesis-similarity.ts";
import { nasty } from "./arbitrary-skill.ts";

describe("says the same", () => {
  test.each([
    ["The discount is taken off twice", "the discount is taken off twice!"],
    ["The discount is taken off twice", "The discounts are taken off twice"],
    ["The discount is taken off twice", "Twice, the discount was taken off."],
    ["Money is rounded twice in total()", "`total()` rounds money twice"],
    ["subtotal() never rounds to cents", "subtotal never rounded to cents"],
    ["折扣被计算了两次", "折扣被计算了两次。"],
  ])("%s · %s", (one, other) => {
    expect(isSameHypothesis(one, other)).toBe(true);
    expect(isSameHypothesis(other, one)).toBe(true);
  });
});

describe("is another idea", () => {
  test.each([
    ["The discount is taken off twice", "The discount is never taken off"],
    ["The token is checked before it is decoded", "The token is checked after it is decoded"],
    [
      "The function parseDate in utils.ts drops the offset of the incoming text",
      "The function parseTime in utils.ts drops the offset of the incoming text",
    ],
    [
      "The list is cut off at 10 entries by the server",
      "The list is cut off at 11 entries by the server",
    ],
    ["subtotal() rounds the price twice", "total() rounds the price twice"],
    ["The cache is stale", "The discount is taken off twice"],
    ["isn't rounded", "is rounded"],
    ["折扣被计算了两次", "缓存已经过期"],
    ["", ""],
    ["the", "the"],
  ])("%s · %s", (one, other) => {
    expect(isSameHypothesis(one, other)).toBe(false);
    expect(isSameHypothesis(other, one)).toBe(false);
  });
});

test("every sentence with a word in it says the same as itself, between any spaces", () => {
  fc.assert(
    fc.property(nasty, (text) => {
      const sentence = `rounding breaks ${text.slice(0, 200)}`;
      expect(isSameHypothesis(sentence, `  ${sentence} `)).toBe(true);
    }),
  );
});

test("a text of any length is compared at once", () => {
  const long = `${"a".repeat(2_000_000)} ${"x.".repeat(500_000)}`;
  const began = performance.now();
  for (let i = 0; i < 50; i += 1) isSameHypothesis(long, `${long}!`);
  expect(performance.now() - began).toBeLessThan(10_000);
});
