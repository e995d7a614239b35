import { fakeClock } from "@ccw-loop/testkit";
import { expect, test, vi } from "vitest";
import { addTask, all, line, liveBench, newLoop, serveLive, told } from "./listening.ts";

const EVENTS = "/api/loops/v2/a/events";

test("200 listeners get the same, and what is kept for them has a bound", async () => {
  const b = liveBench();
  await newLoop(b.service, "a");
  const limits = { ringMessages: 150, ringBytes: 32 * 1024, unreadBytes: 64 * 1024 };
  const { app, listen, live } = b.serve({ limits });
  const first = await listen(EVENTS);
  const answers = await Promise.all(Array.from({ length: 199 }, () => app.request(EVENTS)));
  const others = answers.map((answer) => answer.text());
  const got = [];
  for (let n = 0; n < 50; n += 1) {
    const lines = Array.from({ length: 20 }, (_, k) => line(`${n} ${k}`, n));
    await b.store.appendLog("a", "agent.log", lines);
    got.push(...(await first.take(20)));
  }
  expect(told(got).activity).toEqual(await all(b.service.activity("a")));
  await addTask(b.service, "a", "t1");
  await first.take(1);
  expect(live.figures()).toEqual({ listeners: 200, loops: 1, cuts: 0 });
  live.close();
  const [text = "", ...same] = (await Promise.all(others)).map((one) => one.replace(PING, ""));
  expect(text.match(/^event: activity$/gm)).toHaveLength(1000);
  expect(same.every((other) => other === text)).toBe(true);
});

const PING = /^event: ping\ndata: .*\n/m;

test("a listener that does not read is cut, comes back, and has everything; the others notice nothing", async () => {
  const b = liveBench();
  await newLoop(b.service, "a");
  const { listen, live } = b.serve({ limits: { unreadBytes: 100_000 } });
  const slow = await listen(EVENTS);
  await slow.greeting();
  const quick = await listen(EVENTS);
  const text = "x".repeat(10_000);
  const got = [];
  for (let n = 0; n < 100; n += 1) {
    await b.store.appendLog("a", "agent.log", [line(`${n} ${text}`, n)]);
    got.push(...(await quick.take(1)));
  }
  expect(live.figures()).toMatchObject({ listeners: 1, cuts: 1 });
  const late = await slow.rest();
  expect(late.length).toBeLessThan(100);
  const again = await listen(EVENTS, slow.lastId);
  late.push(...(await again.take(100 - late.length)));
  expect(told(late)).toEqual(told(got));
  expect(told(late).activity).toEqual(await all(b.service.activity("a")));
});

test("what a listener that was cut does not read by the second ping is taken away from it", async () => {
  const b = liveBench();
  await newLoop(b.service, "a");
  const clock = fakeClock();
  const { app, live } = b.serve({ clock, limits: { unreadBytes: 10_000, pingMs: 1000 } });
  const { body } = await app.request(EVENTS);
  await vi.waitFor(async () => {
    await b.store.appendLog("a", "agent.log", [line("x".repeat(100_000), 1)]);
    await clock.advance(10);
    expect(live.figures().cuts).toBe(1);
  });
  await clock.advance(2000);
  await expect(body?.getReader().read()).rejects.toThrow("too slowly");
});

test("a service is watched once for all listeners of a loop, and no longer than there is one", async () => {
  const b = liveBench();
  await newLoop(b.service, "a");
  const watching = new Set<AbortSignal>();
  const service = {
    ...b.service,
    watch: (id: string, options: Parameters<typeof b.service.watch>[1]) => {
      watching.add(options.signal);
      return b.service.watch(id, options);
    },
    changes: (signal: AbortSignal) => {
      watching.add(signal);
      return b.service.changes(signal);
    },
  };
  const { listen, live } = serveLive(service);
  const paths = [
    EVENTS,
    EVENTS,
    "/api/events?kinds=recorded,activity",
    "/api/events?format=compat",
  ];
  const readers = await Promise.all(paths.map((path) => listen(path)));
  expect(watching.size).toBe(2);
  await b.service.send("a", { type: "start" });
  await vi.waitFor(() => expect(watching.size).toBe(3));
  await Promise.all(readers.map((reader) => reader.leave()));
  await vi.waitFor(() => expect([...watching].every(({ aborted }) => aborted)).toBe(true));
  expect(live.figures()).toEqual({ listeners: 0, loops: 0, cuts: 0 });
});

test("streams end when the server closes, and none begins after that", async () => {
  const b = liveBench();
  await newLoop(b.service, "a");
  const { listen, live, app } = b.serve();
  const readers = [await listen(EVENTS), await listen("/api/events?format=compat")];
  await addTask(b.service, "a", "t1");
  live.close();
  for (const reader of readers) await reader.rest();
  expect((await app.request(EVENTS)).status).toBe(503);
  expect((await app.request("/api/events")).status).toBe(503);
});
