import { expect, test } from "vitest";
import { laterArguments } from "../src/replay/clock.ts";

const DAY = 24 * 60 * 60 * 1000;

test.each([
  [
    "a date of JavaScript",
    '["\\u0000","Date","2026-11-30T09:43:00.317Z"]',
    '["\\u0000","Date","2026-12-02T09:43:00.317Z"]',
  ],
  ["a day", '["2026-11-30"]', '["2026-12-02"]'],
  ["a time of some zone", '["2026-11-30 23:00:00+01:00"]', '["2026-12-02 23:00:00+01:00"]'],
  ["milliseconds", "[1764547200000]", "[1764720000000]"],
  ["a day of Python", "(datetime.date(2026, 11, 30), )", "(datetime.date(2026, 12, 2), )"],
  [
    "a moment of Python",
    "(datetime.datetime(2026, 12, 31, 23, 59, 1, 5), )",
    "(datetime.datetime(2027, 1, 2, 23, 59, 1, 5), )",
  ],
  ["prices and years", '[500,2026,"20 of 99"]', '[500,2026,"20 of 99"]'],
  ["no day", '["9999-99-99"]', '["9999-99-99"]'],
])("arguments two days later: %s", (_, args, later) => {
  expect(laterArguments(args, 2 * DAY)).toBe(later);
});
