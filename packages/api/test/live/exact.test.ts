import { setTimeout as delay } from "node:timers/promises";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { addTask, line, liveLoop, type Served, serveLive, told } from "./listening.ts";

interface Step {
  /** Written while nobody listens. */
  away: Writing[];
  /** Written while the client listens. */
  here: Writing[];
  /** How many messages the client reads before its connection breaks. */
  reads: number;
  /** Another server process answers from now on. */
  replaced: boolean;
}

/** A fact, a commit of several facts, or lines of the log with their times as steps of the clock. */
type Writing = { fact: "one" | "several" } | { lines: number[] };

const writing: fc.Arbitrary<Writing> = fc.oneof(
  fc.record({ fact: fc.constantFrom("one" as const, "several" as const) }),
  fc.record({
    lines: fc.array(fc.constantFrom(0, 0, 0, 1, 7, -4), { minLength: 1, maxLength: 6 }),
  }),
);
const step: fc.Arbitrary<Step> = fc.record({
  away: fc.array(writing, { maxLength: 3 }),
  here: fc.array(writing, { maxLength: 3 }),
  reads: fc.nat(9),
  replaced: fc.boolean(),
});

interface History {
  steps: Step[];
  /** Somebody else listens all the time, so that a server goes on following the loop. */
  company: boolean;
}

async function run(files: "fs" | "memory", { steps, company }: History): Promise<void> {
  const b = await liveLoop(files);
  await b.store.appendLog("a", [line("before", 0)]);
  await vi.waitFor(async () =>
    expect(await Array.fromAsync(b.service.activity("a"))).toHaveLength(1),
  );
  let ms = 0;
  let count = 0;
  let owed = 0;
  const write = async (one: Writing) => {
    count += 1;
    if ("lines" in one) {
      const lines = one.lines.map((by, n) => {
        ms += by;
        return line(`${count}.${n}`, ms);
      });
      owed += lines.length;
      return b.store.appendLog("a", lines);
    }
    if (one.fact === "one") {
      owed += 1;
      return addTask(b.service, "a", `t${count}`);
    }
    const { revision } = await b.store.read("a");
    const at = new Date().toISOString();
    const events = [1, 2, 3].map((n) => ({
      type: "loop.edited" as const,
      at,
      changes: { notes: `${count} ${n}` },
    }));
    owed += events.length;
    await b.store.append("a", revision, events, { actor: "test" });
  };
  // So little that a client that does not read for a moment is read what it missed from the files.
  const settings = { limits: { streamBytes: 300, kept: 0, tickMs: 1 } };
  const serve = async () => {
    const served = b.serve(settings);
    if (company) void (await served.listen("/api/loops/v2/a/events")).rest();
    return served;
  };
  let server: Served = await serve();
  const got = [];
  let reader = await server.listen("/api/loops/v2/a/events?after=0");
  await reader.greeting();
  for (const { away, here, reads, replaced } of [
    ...steps,
    { away: [], here: [], reads: Infinity, replaced: true },
  ]) {
    await reader.leave();
    for (const one of away) await write(one);
    if (replaced) {
      server.live.close();
      server = await serve();
    }
    const { lastId } = reader;
    reader = await server.listen("/api/loops/v2/a/events", lastId);
    for (const one of here) {
      await write(one);
      await delay(2);
    }
    const until = Math.min(got.length + reads, owed + 1);
    while (got.length < until) {
      const message = await reader.next();
      if (message) got.push(message);
      else reader = await server.listen("/api/loops/v2/a/events", reader.lastId);
    }
  }
  const { facts, activity } = told(got);
  expect(facts).toEqual(await Array.fromAsync(b.service.events("a")));
  expect(activity).toEqual((await Array.fromAsync(b.service.activity("a"))).slice(1));
  expect(new Set(got.map(({ id }) => id)).size).toBe(got.length);
  await reader.leave();
  if (company) return;
  await vi.waitFor(() => expect(server.live.figures()).toMatchObject({ listeners: 0, loops: 0 }));
}

test.each(["memory", "fs"] as const)(
  "whatever breaks off when, a client gets every fact and every line of the log once (%s)",
  async (files) => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ steps: fc.array(step, { minLength: 1, maxLength: 5 }), company: fc.boolean() }),
        (history) => run(files, history),
      ),
      { numRuns: files === "fs" ? 10 : 40 },
    );
  },
);

test("whoever comes from a server that was further is told nothing twice", async () => {
  const b = await liveLoop();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  async function* watch(...asked: Parameters<typeof b.service.watch>) {
    for await (const event of b.service.watch(...asked)) {
      await held;
      yield event;
    }
  }
  const behind = serveLive({ ...b.service, watch });
  await behind.listen("/api/loops/v2/a/events");
  const further = await b.serve().listen("/api/loops/v2/a/events");
  const got = [];
  for (const n of [1, 2]) {
    await addTask(b.service, "a", `t${n}`);
    await b.store.appendLog("a", [line(`${n}`, n)]);
    got.push(...(await further.take(2)));
  }
  const { lastId } = further;
  const reader = await behind.listen("/api/loops/v2/a/events", lastId);
  await b.store.appendLog("a", [line("3", 3)]);
  await addTask(b.service, "a", "t3");
  release();
  got.push(...(await reader.take(2)));
  const { facts, activity } = told(got);
  expect(facts).toEqual(await Array.fromAsync(b.service.events("a", 1)));
  expect(activity).toEqual(await Array.fromAsync(b.service.activity("a")));
});
