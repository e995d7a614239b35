import { describe, expect, test } from "vitest";
import { type Difference, withoutThoseOf } from "../src/checks/replay/compare.ts";

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
    expect(withoutThoseOf([difference("receipt", one, other)], known)).toHaveLength(left);
  });

  test("all of another function", () => {
    expect(withoutThoseOf([difference("total", "1", "2")], known)).toHaveLength(1);
  });
});
