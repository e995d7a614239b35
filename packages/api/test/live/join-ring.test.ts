import { expect, test } from "vitest";
import { Channel } from "../../src/live/channel.ts";
import { LIVE_LIMITS, Listener, webClock } from "../../src/live/listener.ts";
import { formatPlace, LOG_START, type LoopPosition } from "../../src/live/loop-position.ts";
import { joinRing } from "../../src/live/loop-stream.ts";
import { Reader } from "./listening.ts";

const start: LoopPosition = { fact: { revision: 0, index: 0 }, activity: LOG_START };

test("another server met facts and activity in another order: nothing is doubled, and ids are the listener's own", async () => {
  const channel = new Channel(start, {
    clock: webClock,
    limits: LIVE_LIMITS,
    share: () => LIVE_LIMITS.ringBytes,
    idOf: (position) => formatPlace({ position }),
    onCut: () => undefined,
  });
  const put = (activity: number, fact: number, name: string) => {
    const kind = name.startsWith("fact") ? "recorded" : "activity";
    channel.add(kind, at(fact, activity), name, {});
  };
  put(1, 0, "activity 1");
  put(1, 1, "fact 1");
  put(2, 1, "activity 2");
  put(2, 2, "fact 2");
  put(2, 3, "fact 3");
  put(3, 3, "activity 3");
  const listener = new Listener();
  const kinds = new Set(["recorded", "activity"] as const);
  const reader = new Reader(listener.stream);
  expect(joinRing(channel, { listener, kinds, position: at(2, 0), rounds: 0 })).toBe(true);
  channel.flush();
  const messages = await reader.take(4);
  expect(messages.map(({ event, id }) => `${event}: ${id}`)).toEqual([
    `activity 1: ${formatPlace({ position: at(2, 1) })}`,
    `activity 2: ${formatPlace({ position: at(2, 2) })}`,
    `fact 3: ${formatPlace({ position: at(3, 2) })}`,
    `activity 3: ${formatPlace({ position: at(3, 3) })}`,
  ]);
  listener.end();
});

function at(revision: number, ms: number): LoopPosition {
  const activity = ms === 0 ? LOG_START : { ms, n: 1, digest: "0123abcd" };
  return { fact: { revision, index: 0 }, activity };
}
