import { fakeClock } from "@ccw-loop/testkit";
import { expect, test, vi } from "vitest";
import { addTask, line, liveLoop, Reader, serveLive, told } from "./listening.ts";

const EVENTS = "/api/loops/v2/a/events";

test("200 listeners get the same", async () => {
  const b = await liveLoop();
  const { app, listen, live } = b.serve();
  const first = await listen(EVENTS);
  const answers = await Promise.all(Array.from({ length: 199 }, () => app.request(EVENTS)));
  const others = answers.map((answer) => answer.text());
  const got = [];
  for (let n = 0; n < 50; n += 1) {
    const lines = Array.from({ length: 20 }, (_, k) => line(`${n} ${k}`, n));
    await b.store.appendLog("a", lines);
    got.push(...(await first.take(20)));
  }
  expect(told(got).activity).toEqual(await Array.fromAsync(b.service.activity("a")));
  await addTask(b.service, "a", "t1");
  await first.take(1);
  expect(live.figures()).toEqual({ listeners: 200, loops: 1 });
  live.close();
  const [text = "", ...same] = (await Promise.all(others)).map((one) => one.replace(PING, ""));
  expect(text.match(/^event: activity$/gm)).toHaveLength(1000);
  expect(same.every((other) => other === text)).toBe(true);
});

const PING = /^event: ping\ndata: .*\n/m;

test("for a listener that does not read nothing is read; when it reads it gets everything, and the others notice nothing", async () => {
  const b = await liveLoop();
  const activity = vi.fn(b.service.activity);
  const limits = { kept: 10, stallMs: 60_000 };
  const { app, listen } = serveLive({ ...b.service, activity }, { limits });
  const slow = await app.request(EVENTS);
  const quick = await listen(EVENTS);
  const before = activity.mock.calls.length;
  const got = [];
  for (let n = 0; n < 100; n += 1) {
    await b.store.appendLog("a", [line(`${n} ${"x".repeat(10_000)}`, n)]);
    got.push(...(await quick.take(1)));
  }
  expect(activity).toHaveBeenCalledTimes(before);
  if (!slow.body) throw new Error("There is no stream.");
  const late = await new Reader(slow.body).take(100);
  expect(late).toEqual(got);
  expect(told(late).activity).toEqual(await Array.fromAsync(b.service.activity("a")));
  expect(activity.mock.calls.length).toBeGreaterThan(before);
});

test("a listener that lacks something and takes nothing for too long loses its stream", async () => {
  const b = await liveLoop();
  const clock = fakeClock();
  const { app, live } = b.serve({ clock, limits: { stallMs: 1000 } });
  const { body } = await app.request(EVENTS);
  await vi.waitFor(async () => {
    await b.store.appendLog("a", [line("x".repeat(100_000), 1)]);
    await clock.advance(500);
    expect(live.figures().listeners).toBe(0);
  });
  await expect(body?.getReader().read()).rejects.toThrow("too slowly");
});

test("a service is watched once for all listeners of a loop, and no longer than there is one", async () => {
  const b = await liveLoop();
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
  expect(live.figures()).toEqual({ listeners: 0, loops: 0 });
});

test("streams end when the server closes, and none begins after that", async () => {
  const b = await liveLoop();
  const { listen, live, app } = b.serve();
  const readers = [await listen(EVENTS), await listen("/api/events?format=compat")];
  await addTask(b.service, "a", "t1");
  live.close();
  for (const reader of readers) await reader.rest();
  expect((await app.request(EVENTS)).status).toBe(503);
  expect((await app.request("/api/events")).status).toBe(503);
});
