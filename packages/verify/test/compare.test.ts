import { describe, expect, test } from "vitest";
import {
  type Difference,
  excludeKnownDifferences,
  sameButTimes,
  unstableInUse,
} from "../src/replay/results.ts";

const difference = (name: string, one: string, other: string): Difference => ({
  call: { module: "src/shop.js", name, kind: "function", args: "[]", gave: one },
  ...{ one, other },
});

describe("the differences of a function that are left where it shows some at the start", () => {
  const known = [difference("receipt", "Monday: 1980 cents", "Friday: 1980 cents")];

  test.each([
    ["none in what differ at the start", "Monday: 1600 cents", "Friday: 1600 cents", 0],
    ["those in what did not differ at the start", "Monday: 1600 cents", "Friday: 1980 cents", 1],
    ["none where nothing can be said of a part", "1600 cents", "No coupon on a Friday", 0],
  ])("%s", (_, one, other, left) => {
    expect(excludeKnownDifferences([difference("receipt", one, other)], known)).toHaveLength(left);
  });

  test("all of another function", () => {
    expect(excludeKnownDifferences([difference("total", "1", "2")], known)).toHaveLength(1);
  });
});

const YEAR = new Date().getFullYear();
const TWO_YEARS = 2 * 366 * 24 * 60 * 60 * 1000;

test.each([
  ["a day", '"2026-11-23"', '"2027-12-28"', true],
  ["a moment", '"at 2026-11-23T09:43:00.317Z"', '"at 2027-12-28T09:43:00.317Z"', true],
  ["milliseconds", "1764547200000", "1799107200000", true],
  ["the year", `"(c) ${YEAR}"`, `"(c) ${new Date(Date.now() + TWO_YEARS).getFullYear()}"`, true],
  ["a price like a year", '"2026 cents"', '"2080 cents"', false],
  ["a price beside a day", '"2026-11-23: 1600"', '"2027-12-28: 1980"', false],
  ["more than a time", '"2026-11-23"', '"2027-12-28 and more"', false],
])("results that are the same but for the time: %s", (_, now, later, same) => {
  expect(sameButTimes(TWO_YEARS)(now, later)).toBe(same);
});

test("calls that are steady under test alone", () => {
  const calls = ["steady", "random", "random in use", "unknown"].map(
    (name) => difference(name, "", "").call,
  );
  const found = unstableInUse(calls, {
    gave: ["1", "0.4", "7", "8"],
    under: [["1", "0.6", "7", null]],
    once: ["1", "0.1", "7", "8"],
    again: ["1", "0.2", "9", "9"],
  });
  expect(found).toEqual([{ call: calls[2], one: "7", other: "9" }]);
});
