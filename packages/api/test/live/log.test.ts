import { expect, test } from "vitest";
import { type Batch, Log } from "../../src/live/log.ts";
import { liveContext } from "./listening.ts";

const encoder = new TextEncoder();

/** A log with these messages, one letter each; `x` and `y` are kinds. Of each tick its messages. */
async function written(limits: Parameters<typeof liveContext>[0], ...ticks: string[]) {
  const context = liveContext(limits);
  const log = new Log<string>(context, "begin");
  let number = 0;
  for (const letters of ticks) {
    for (const letter of letters) {
      number += 1;
      log.add([letter.toLowerCase()], encoder.encode(letter), `${letter}${number}`);
    }
    await context.clock.advance(context.limits.tickMs);
  }
  return { ...context, log };
}

/** What a reader gets until there is no more, and how it ends: waiting, or because something is not kept. */
async function read(log: Log<string>, from: number, kinds?: string) {
  const batches: string[] = [];
  const wanted = kinds === undefined ? undefined : new Set(kinds);
  const reader = log.follow(from, new AbortController().signal, wanted);
  for (;;) {
    const next = await Promise.race([
      reader.next(),
      new Promise<null>((go) => setTimeout(go, 5, null)),
    ]);
    if (next === null) return { batches, ended: false };
    if (next.done) return { batches, ended: true };
    batches.push(textOf(next.value));
  }
}

function textOf({ bytes, number, position }: Batch<string>): string {
  return `${new TextDecoder().decode(bytes)} ${number} ${position}`;
}

test.each<[string, string[], number, string | undefined, string[], boolean]>([
  ["what is there", ["xyx"], 0, undefined, ["xyx 3 x3"], false],
  ["what comes behind a number", ["xyx"], 2, undefined, ["x 3 x3"], false],
  ["nothing behind the last number", ["xyx"], 3, undefined, [], false],
  ["its kinds", ["xy", "yx"], 0, "y", ["yy 4 x4"], false],
  ["nothing of other kinds", ["xyx"], 0, "z", [], false],
  ["what is kept of several ticks", ["xxx", "yyy", "x"], 3, undefined, ["yyyx 7 x7"], false],
  ["nothing behind what is not kept", ["xxx", "yyy", "x"], 2, undefined, [], true],
  [
    "a tick that is longer than what is kept",
    ["x", "yyyyyy"],
    1,
    undefined,
    ["yyyyy 6 y6", "y 7 y7"],
    false,
  ],
])("a reader gets %s", async (_, ticks, from, kinds, batches, ended) => {
  const { log } = await written({ kept: 4, streamBytes: 5 }, ...ticks);
  expect(await read(log, from, kinds)).toEqual({ batches, ended });
});

test("bytes are bounded as numbers are", async () => {
  const { log } = await written({ keptBytes: 4 }, "xxx", "yyy", "x");
  expect([2, 3].map((number) => log.keeps(number))).toEqual([false, true]);
});

test("what is added within a tick becomes readable together", async () => {
  const { log, clock } = await written({ tickMs: 40 }, "x");
  const next = log.follow(1, new AbortController().signal).next();
  log.add(["y"], encoder.encode("y"), "y2");
  await clock.advance(39);
  log.add(["y"], encoder.encode("z"), "z3");
  expect(log.head).toMatchObject({ number: 1 });
  expect(log.end).toMatchObject({ number: 3, position: "z3" });
  await clock.advance(1);
  expect(textOf((await next).value)).toBe("yz 3 z3");
});

test("readers at one place share the bytes", async () => {
  const { log } = await written({}, "xyx");
  const read = async () => (await log.follow(0, new AbortController().signal).next()).value?.bytes;
  expect(await read()).toBe(await read());
});

test("a closed log is read to its end", async () => {
  const { log } = await written({}, "x");
  log.add(["y"], encoder.encode("y"), "y2");
  log.close();
  expect(await read(log, 0)).toEqual({ batches: ["xy 2 y2"], ended: true });
});

test("a reader that waits ends with its signal", async () => {
  const { log } = await written({}, "x");
  const leave = new AbortController();
  const next = log.follow(1, leave.signal).next();
  leave.abort();
  expect(await next).toEqual({ done: true, value: undefined });
});
