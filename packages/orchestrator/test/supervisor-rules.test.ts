import { fakeClock } from "@ccw-loop/testkit";
import { expect, test } from "vitest";
import { dispositionOf } from "../src/run/waits.ts";
import {
  backoffMs,
  FailureTracker,
  LONGEST_MS,
  spread,
} from "../src/supervisor/failure-tracker.ts";
import { Schedule } from "../src/supervisor/schedule.ts";

const NOW = Date.parse("2030-01-01T12:00:00.000Z");
const since = "2030-01-01T11:00:00.000Z";
const limited = (until?: string) => ({
  kind: "usage_limit" as const,
  since,
  ...(until === undefined ? {} : { until }),
});

test.each([
  ["a running loop is driven", "running", undefined, "drive"],
  ["a paused one is left alone", "paused", undefined, "leave"],
  ["a new one is left alone", "created", undefined, "leave"],
  ["a completed one is left alone", "completed", undefined, "leave"],
  ["a failed one is left alone", "failed", undefined, "leave"],
  ["one that was left from the menu is left alone", "user_exit", undefined, "leave"],
  ["who waits for a person is left alone", "running", { kind: "input", since }, "leave"],
  ["who waits for an approval is left alone", "running", { kind: "approval", since }, "leave"],
  ["who made no progress is left alone", "running", { kind: "no_progress", since }, "leave"],
  ["a limit that is over is driven", "running", limited("2030-01-01T12:00:00.000Z"), "drive"],
  ["a limit is waited for", "running", limited("2030-01-01T12:00:01.000Z"), { until: NOW + 1000 }],
  ["a limit of unknown end is tried at once", "running", limited(), "drive"],
  ["a paused loop's limit does not matter", "paused", limited(), "leave"],
] as const)("%s", (_, status, waiting, expected) => {
  expect(dispositionOf({ status, ...(waiting ? { waiting } : {}) }, NOW)).toEqual(expected);
});

test("each failure in a row doubles the wait up to five minutes, half of it by chance", () => {
  const range = (failures: number) => [backoffMs(failures, 0), backoffMs(failures, 1)];
  expect([1, 2, 3].map(range)).toEqual([
    [500, 1000],
    [1000, 2000],
    [2000, 4000],
  ]);
  expect(range(10)).toEqual([LONGEST_MS / 2, LONGEST_MS]);
  expect(range(1_000_000)).toEqual(range(10));
  expect([spread(1000, 0), spread(1000, 1)]).toEqual([750, 1250]);
});

test("the agenda keeps wall moments by the wall clock and the others by the one that never jumps", () => {
  const clock = fakeClock({ start: "2030-01-01T00:00:00.000Z" });
  const agenda = new Schedule(clock);
  expect(agenda.next()).toBe(Number.POSITIVE_INFINITY);
  agenda.set("wall", { wall: Date.parse("2030-01-01T00:00:10.000Z") });
  agenda.set("put off", { monotonic: 20_000 });
  expect(agenda.next()).toBe(10_000);
  expect([agenda.isPutOff("wall"), agenda.isPutOff("put off")]).toEqual([false, true]);
  expect(agenda.due()).toEqual([]);
  clock.setWall("2031-01-01T00:00:00.000Z");
  expect(agenda.due()).toEqual(["wall"]);
  expect(agenda.next()).toBe(20_000);
  agenda.delete("put off");
  expect(agenda.next()).toBe(Number.POSITIVE_INFINITY);
});

test("the same trouble is told once; another, or the same after it was over, again", () => {
  const troubles = new FailureTracker(() => 1);
  const met = (message: string, lasted = 0) => {
    const { retryInMs, isNews } = troubles.record("a", new Error(message), lasted);
    return [retryInMs, isNews];
  };
  expect(met("full")).toEqual([1000, true]);
  expect(met("full")).toEqual([2000, false]);
  expect(met("broken")).toEqual([4000, true]);
  expect(met("broken", LONGEST_MS)).toEqual([1000, true]);
  troubles.clear("a");
  expect(met("broken")).toEqual([1000, true]);
});
