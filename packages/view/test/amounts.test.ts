import { expect, test } from "vitest";
import { durationInput, parseCount, parseDollars, parseDuration } from "../src/index.ts";

test.each([
  ["1", 1],
  ["20000000", 20_000_000],
  ["0", undefined],
  ["-1", undefined],
  ["1.5", undefined],
  ["1e3", undefined],
  [" 1", undefined],
  ["", undefined],
])("a count of %j is %j", (text, expected) => {
  expect(parseCount(text)).toBe(expected);
});

test.each([
  ["2.50", 2.5],
  ["10", 10],
  ["0.0001", 0.0001],
  ["0", undefined],
  ["0.00", undefined],
  ["$2", undefined],
  ["2.", undefined],
  ["1e9", undefined],
])("%j dollars are %j", (text, expected) => {
  expect(parseDollars(text)).toBe(expected);
});

test.each([
  [14_400_000, "4h"],
  [5_400_000, "90m"],
  [172_800_000, "2d"],
  [45_000, "45s"],
  [44_001, "45s"],
])("%j ms are written as %s", (ms, text) => {
  expect(durationInput(ms)).toBe(text);
});

test("a duration is read as it was written", () => {
  for (let seconds = 1; seconds < 400_000; seconds += 997) {
    expect(parseDuration(durationInput(seconds * 1000))).toBe(seconds * 1000);
  }
});
