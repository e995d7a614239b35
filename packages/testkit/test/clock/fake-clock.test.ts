import { describe, expect, it } from "vitest";
import { type FakeClock, fakeClock } from "../../src/index.ts";

const START = "2030-01-01T00:00:00.000Z";

/** Sleeps as often as there are durations and notes the time after each. */
async function sleeper(clock: FakeClock, log: string[], name: string, ...durations: number[]) {
  for (const ms of durations) {
    await clock.sleep(ms);
    log.push(`${name}@${clock.monotonic()}`);
  }
}

describe("fakeClock", () => {
  it("stands still until it is moved", async () => {
    const clock = fakeClock({ start: START });
    expect(clock.now().toISOString()).toBe(START);
    await clock.advance(61_000);
    expect(clock.now().toISOString()).toBe("2030-01-01T00:01:01.000Z");
    expect(clock.monotonic()).toBe(61_000);
  });

  it("wakes sleepers at their own moment, the earliest first", async () => {
    const clock = fakeClock();
    const log: string[] = [];
    void sleeper(clock, log, "a", 300);
    void sleeper(clock, log, "b", 100, 100, 500);
    await clock.advance(299);
    expect(log).toEqual(["b@100", "b@200"]);
    await clock.advance(1);
    expect(log).toEqual(["b@100", "b@200", "a@300"]);
    await clock.advance(1000);
    expect(log.at(-1)).toBe("b@700");
    expect(clock.monotonic()).toBe(1300);
  });

  it("wakes a sleeper at once when its signal aborts, without moving time", async () => {
    const clock = fakeClock();
    const control = new AbortController();
    const sleep = clock.sleep(1000, control.signal);
    control.abort();
    await sleep;
    await clock.sleep(1000, control.signal);
    expect(clock.monotonic()).toBe(0);
  });

  it("tells when somebody sleeps", async () => {
    const clock = fakeClock();
    const log: string[] = [];
    const both = clock.sleepers(2).then(() => log.push("two sleep"));
    void clock.sleep(5);
    await clock.sleepers();
    expect(log).toEqual([]);
    void clock.sleep(5);
    await both;
    expect(log).toEqual(["two sleep"]);
  });

  it("sets the wall clock without waking anybody", async () => {
    const clock = fakeClock({ start: START });
    const log: string[] = [];
    void sleeper(clock, log, "a", 50);
    clock.setWall("2031-06-01T12:00:00.000Z");
    await clock.advance(49);
    expect(log).toEqual([]);
    expect(clock.now().toISOString()).toBe("2031-06-01T12:00:00.049Z");
    expect(clock.monotonic()).toBe(49);
  });

  it("moves by itself when it is automatic", async () => {
    const clock = fakeClock({ auto: true });
    const log: string[] = [];
    await Promise.all([
      sleeper(clock, log, "day", 86_400_000),
      sleeper(clock, log, "hour", 3_600_000, 3_600_000),
    ]);
    expect(log).toEqual(["hour@3600000", "hour@7200000", "day@86400000"]);
  });
});
