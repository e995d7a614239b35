import { expect, test, vi } from "vitest";
import type { LiveLimits } from "../../src/live/context.ts";
import { EventStreams } from "../../src/live/event-stream.ts";
import { liveContext } from "./listening.ts";

/** A stream over messages of 10 KB each; `made` are those that were made for its reader. */
function opened(limits: Partial<LiveLimits> = {}, count = 100) {
  const context = liveContext(limits);
  const streams = new EventStreams(context);
  const left = vi.fn();
  const stop = new AbortController();
  const made: number[] = [];
  async function* messages() {
    for (let n = 0; n < count; n += 1) {
      made.push(n);
      yield new Uint8Array(10_000).fill(n);
    }
    if (count === 0) throw new Error("The disk is gone.");
  }
  const stream = streams.open(messages, stop.signal, left);
  return { ...context, streams, stream, left, stop, made };
}

test("for a reader no more is made than it takes, and a little ahead", async () => {
  const { stream, made, clock } = opened();
  await clock.advance(0);
  expect(made).toHaveLength(7);
  const reader = stream.getReader();
  for (let n = 0; n < 5; n += 1) expect((await reader.read()).value?.[0]).toBe(n);
  await clock.advance(0);
  expect(made).toHaveLength(12);
});

test.each<[string, (o: ReturnType<typeof opened>) => unknown, number]>([
  ["its messages end", () => undefined, 3],
  ["its messages cannot be read", () => undefined, 0],
  ["its signal aborts", ({ stop }) => stop.abort(), 100],
  ["all streams are ended", ({ streams }) => streams.close(), 100],
])("a stream ends in good order when %s", async (_, end, count) => {
  const o = opened({}, count);
  await o.clock.advance(0);
  end(o);
  let bytes = 0;
  for await (const part of o.stream) bytes += part.length;
  expect(bytes).toBe(o.made.length * 10_000);
  expect(o.streams.size).toBe(0);
  expect(o.left).toHaveBeenCalledOnce();
});

test("a stream that its reader leaves is over", async () => {
  const { stream, streams, left } = opened();
  await stream.cancel();
  expect(streams.size).toBe(0);
  expect(left).toHaveBeenCalledOnce();
});

test("a reader that takes nothing for too long loses its stream; one that is slow does not", async () => {
  const { stream, streams, clock, left } = opened({ stallMs: 1000 });
  const reader = stream.getReader();
  for (let n = 0; n < 10; n += 1) {
    await clock.advance(900);
    await reader.read();
  }
  await clock.advance(1000);
  expect(streams.size).toBe(0);
  expect(left).toHaveBeenCalledOnce();
  await expect(reader.read()).rejects.toThrow("too slowly");
});

test("whoever has room is pinged", async () => {
  const context = liveContext({ pingMs: 1000 });
  const streams = new EventStreams(context);
  const stream = streams.open(nothing, undefined, () => undefined);
  const text: string[] = [];
  const reading = (async () => {
    for await (const part of stream) text.push(new TextDecoder().decode(part));
  })();
  await context.clock.advance(2500);
  streams.close();
  await reading;
  expect(text.map((one) => one.split("\n")[0])).toEqual(["event: ping", "event: ping"]);
});

async function* nothing(): AsyncGenerator<Uint8Array> {
  await new Promise(() => undefined);
}
