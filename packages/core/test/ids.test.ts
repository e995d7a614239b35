import { describe, expect, test } from "vitest";
import { loopsMeant, mintLoopId } from "../src/index.ts";

const minted = [
  "loop-v2-20260122T100000-3f2a9c01",
  "loop-v2-20260122T100000-3f2b0000",
  "loop-v2-20260301T080910-77777777",
];
const ids = ["cart", "cart-1", "cart-10", "cart-x", "3f", ...minted];

describe("a loop is meant", () => {
  test.each<[text: string, meant: string[]]>([
    ["cart", ["cart"]],
    ["cart-1", ["cart-1"]],
    ["cart-x", ["cart-x"]],
    ["car", ["cart", "cart-1", "cart-10", "cart-x"]],
    ["cart-", ["cart-1", "cart-10", "cart-x"]],
    ["3f", ["3f"]],
    ["3f2", minted.slice(0, 2)],
    ["3f2a", minted.slice(0, 1)],
    ["3f2a9c01", minted.slice(0, 1)],
    ["loop-v2-202603", minted.slice(2)],
    ["9c01", []],
    ["Cart", []],
    ["", []],
  ])("by %s: %j", (text, meant) => {
    expect(loopsMeant(text, ids)).toEqual(meant);
  });

  test("never another one whose number only begins alike", () => {
    expect(loopsMeant("cart-1", ["cart-10", "cart-1b"])).toEqual(["cart-1b"]);
    expect(loopsMeant("cart-1", ["cart-10"])).toEqual([]);
  });

  test("by the digits at the end of a minted id", () => {
    const id = mintLoopId(new Date(), "0123abcd");
    expect(loopsMeant("0123", [id, "cart"])).toEqual([id]);
  });
});
