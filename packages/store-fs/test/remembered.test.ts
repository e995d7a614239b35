import { expect, test } from "vitest";
import { rememberedLoops } from "../src/context.ts";

test("loops are remembered up to a thousand, and up to eight million characters of their files", () => {
  const open = rememberedLoops("/loops");
  const first = open("first");
  expect(open("first")).toBe(first);
  for (let n = 0; n < 999; n++) open(`loop-${n}`);
  expect(open("first")).toBe(first);
  open("last");
  expect(open("first")).toBe(first);
  const large = open("large");
  large.publishedText = "x".repeat(4_000_000);
  large.tasks = { file: "1", text: "x".repeat(3_000_000) };
  const small = open("small");
  expect([open("large"), open("small")]).toEqual([large, small]);
  open("other").publishedText = "x".repeat(2_000_000);
  expect(open("small")).toBe(small);
  expect(open("large")).not.toBe(large);
});
