import fc from "fast-check";
import { expect, test } from "vitest";
import {
  formatPlace,
  LOG_START,
  type LoopPosition,
  logCounter,
  logSeeker,
  parsePlace,
  type StreamPosition,
} from "../../src/live/loop-position.ts";
import { line } from "./listening.ts";

const whole = Number.POSITIVE_INFINITY;

const birth = "07a1b2c3";

test.each<[string, StreamPosition]>([
  [
    "12.0~1893456000000.3.9f2c1a7b~07a1b2c3",
    { position: at(12, 0, { ms: 1893456000000, n: 3, digest: "9f2c1a7b" }), birth },
  ],
  ["7~0.0~07a1b2c3", { position: at(7, whole, LOG_START), birth }],
  [
    "0~1893456000000.0",
    { position: at(0, whole, { ms: 1893456000000, n: 0, digest: "" }), birth: undefined },
  ],
])("%s is a place in a stream", (text, place) => {
  expect(formatPlace(place)).toBe(text);
  expect(parsePlace(text)).toEqual(place);
});

test.each([
  "",
  "12",
  "12.0",
  "-1.0~0.0",
  "1.5.2~0.0",
  "1.0~0.3",
  "1.0~0.3.xyz",
  "1.0~0.0 ",
  "1.0~0.0\n",
  "1.0~0.0~",
  "1.0~0.0~07a1b2c",
  "9999999999999999.0~0.0",
  "a1b2c3d4.5.6",
])("%j is none", (text) => {
  expect(parsePlace(text)).toBeNull();
});

/** Steps of a clock that stands still, goes on, and is set back. */
const steps = fc.array(fc.constantFrom(0, 0, 1, 5, -3), { minLength: 1, maxLength: 30 });

function logOf(by: readonly number[]) {
  let ms = 10;
  return by.map((step, n) => {
    ms += step;
    return line(`line ${n}`, ms);
  });
}

test("behind any record of a log come the ones that follow it", () => {
  fc.assert(
    fc.property(steps, fc.nat(), (by, pick) => {
      const log = logOf(by);
      const last = pick % log.length;
      const positions = log.map(logCounter(LOG_START)).map(({ position }) => position);
      expect(sought(log, positions[last] ?? LOG_START)).toEqual({
        activity: log.slice(last + 1),
        gap: false,
      });
    }),
  );
});

test("a log that lost its beginning meanwhile gives what is left, and says when it may be less", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(0, 0, 1, 5), { minLength: 1, maxLength: 30 }),
      fc.nat(),
      fc.nat(),
      (by, pick, cut) => {
        const log = logOf(by);
        const last = pick % log.length;
        const first = cut % (log.length + 1);
        const counted = log.map(logCounter(LOG_START));
        const from = counted[last]?.position ?? LOG_START;
        expect(sought(log.slice(first), from)).toEqual({
          activity: log.slice(Math.max(first, last + 1)),
          gap: first > last,
        });
      },
    ),
  );
});

test("lines of the log that somebody else wrote keep their place", () => {
  const log = [line("a", 1), { at: "long ago" }, null, line("b", 1), 7, line("c", 2)];
  const counter = logCounter(LOG_START);
  const records = log.map((one) => counter(one as ReturnType<typeof line>));
  expect(records.map(({ position }) => position.n)).toEqual([1, 2, 3, 4, 5, 1]);
});

function at(revision: number, index: number, activity: LoopPosition["activity"]): LoopPosition {
  return { fact: { revision, index }, activity };
}

function sought(log: ReturnType<typeof logOf>, from: LoopPosition["activity"]) {
  const seek = logSeeker(from);
  const found = [...log.map(logCounter(LOG_START)), null].map((record) => seek(record));
  return {
    activity: found.flatMap(({ records }) => records.map(({ activity }) => activity)),
    gap: found.some(({ gap }) => gap),
  };
}
