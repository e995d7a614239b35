import { renameSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import {
  addTask,
  type LiveBench,
  line,
  liveLoop,
  newLoop,
  type Reader,
  serveLive,
  told,
} from "./listening.ts";

const EVENTS = "/api/loops/v2/a/events";

test("an answer is an event stream that nobody keeps or gathers", async () => {
  const b = await liveLoop();
  const { app, live } = b.serve();
  for (const method of ["GET", "HEAD"]) {
    const { status, headers, body } = await app.request(EVENTS, { method });
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/event-stream");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-accel-buffering")).toBe("no");
    await body?.cancel();
    await vi.waitFor(() => expect(live.figures().listeners).toBe(0));
  }
});

test.each([
  ["/api/loops/v2/nobody/events", 404, "loop_not_found"],
  ["/api/loops/v2/nobody/events?format=compat", 404, "loop_not_found"],
  ["/api/loops/v2/a..b/events", 400, "invalid_id"],
  [`${EVENTS}?kinds=recorded,all`, 400, "invalid_input"],
  [`${EVENTS}?after=-1`, 400, "invalid_input"],
  [`${EVENTS}?format=xml`, 400, "invalid_input"],
  ["/api/events?kinds=", 400, "invalid_input"],
])("%s is refused with %i", async (path, status, code) => {
  const b = await liveLoop();
  for (const method of ["GET", "HEAD"]) {
    const answer = await b.serve().app.request(path, { method });
    expect(answer.status).toBe(status);
    if (method === "GET") expect(await answer.json()).toMatchObject({ success: false, code });
  }
});

test("facts have their number within their commit", async () => {
  const b = await liveLoop();
  const reader = await b.serve().listen(`${EVENTS}?after=0`);
  await b.service.send("a", { type: "start" });
  const [created, started] = (await reader.take(2)).map(({ event, data, id }) => ({
    ...JSON.parse(data),
    event,
    id,
  }));
  expect(created).toMatchObject({
    event: "loop.created",
    id: expect.stringMatching(/^1\.0~0~\d+$/),
    index: 0,
  });
  expect(started).toMatchObject({ event: "loop.started", index: 0 });
});

test("a client chooses its kinds", async () => {
  const b = await liveLoop();
  const { listen } = b.serve();
  const facts = await listen(`${EVENTS}?kinds=recorded`);
  const activity = await listen(`${EVENTS}?kinds=activity`);
  await b.store.appendLog("a", [line("one", 1)]);
  await addTask(b.service, "a", "t1");
  await b.store.appendLog("a", [line("two", 2)]);
  expect((await facts.take(1)).map(({ event }) => event)).toEqual(["task.added"]);
  expect(told(await activity.take(2)).activity).toMatchObject([line("one", 1), line("two", 2)]);
});

test("no text of an agent ends a message or begins another", async () => {
  const b = await liveLoop();
  const reader = await b.serve().listen(EVENTS);
  const hostile = "\r\n\r\nevent: loop.deleted\rdata: {}\n\n\u0000\u2028\u0085\ud800 id: 9~0~0\n";
  await b.store.appendLog("a", [line(hostile, 1), line("after", 2)]);
  const messages = await reader.take(2);
  expect(messages.map(({ event }) => event)).toEqual(["activity", "activity"]);
  expect(told(messages).activity[0]).toMatchObject(line(hostile, 1));
});

test.each([
  ["from another program", "7c1f-44"],
  ["of an older server", "1.0~1795174395629.3.9f2c1a7b~07a1b2c3"],
])("with an id %s a client is told to read the loop anew", async (_, id) => {
  const b = await liveLoop();
  const reader = await b.serve().listen(EVENTS, id);
  const [first] = await reader.take(1);
  expect(first?.event).toBe("resync");
  expect(JSON.parse(first?.data ?? "")).toEqual({ kind: "resync", id: "a", revision: 1 });
  await addTask(b.service, "a", "t1");
  expect((await reader.take(1))[0]?.event).toBe("task.added");
});

/** Deleted and made anew, with as many facts as the id of whoever comes back names, or fewer. */
describe.each([1, 3])("behind a loop that had this id before, now with %i facts", (facts) => {
  async function madeAnew(b: LiveBench) {
    await b.service.delete("a");
    await newLoop(b.service, "a");
    for (let n = 1; n < facts; n += 1) await addTask(b.service, "a", `new-${n}`);
    await b.store.appendLog("a", [line("new", 1)]);
  }

  async function toldAnew(reader: Reader) {
    const [resync, ...rest] = await reader.take(facts + 2);
    expect(JSON.parse(resync?.data ?? "")).toEqual({ kind: "resync", id: "a", revision: 0 });
    const { facts: all, activity } = told(rest);
    expect(all.map(({ revision }) => revision)).toEqual(
      Array.from({ length: facts }, (_, n) => n + 1),
    );
    expect(activity).toMatchObject([line("new", 1)]);
  }

  test("a client that comes back has the new one from its beginning", async () => {
    const b = await liveLoop();
    const { listen } = b.serve();
    const reader = await listen(EVENTS);
    await b.store.appendLog("a", [line("old", 5)]);
    await addTask(b.service, "a", "t1");
    await reader.take(2);
    await reader.leave();
    await madeAnew(b);
    await toldAnew(await listen(EVENTS, reader.lastId));
  });

  test("a client that listens is told that the old one is gone", async () => {
    const b = await liveLoop();
    const { listen } = b.serve();
    const reader = await listen(EVENTS);
    await addTask(b.service, "a", "t1");
    await reader.take(1);
    await madeAnew(b);
    const other = await listen(EVENTS, reader.lastId);
    expect((await reader.rest()).map(({ event }) => event)).toEqual(["loop.deleted"]);
    await toldAnew(other);
  });
});

test("who listens to a loop is never told of another one that has its id by now", async () => {
  const b = await liveLoop();
  // It tells of nothing, so nobody hears that the loop was deleted.
  async function* watch(_: string, { signal }: { signal: AbortSignal }) {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  }
  const { listen } = serveLive({ ...b.service, watch });
  const old = await listen(EVENTS);
  await b.service.delete("a");
  await newLoop(b.service, "a");
  const other = await listen(`${EVENTS}?after=0`);
  expect((await other.take(1)).map(({ event }) => event)).toEqual(["loop.created"]);
  expect((await old.rest()).map(({ event }) => event)).toEqual(["loop.deleted"]);
});

test("the id may stand in the query, and the header goes before it", async () => {
  const b = await liveLoop();
  await addTask(b.service, "a", "t1");
  await addTask(b.service, "a", "t2");
  const events = vi.fn(b.service.events);
  const { listen } = serveLive({ ...b.service, events });
  const loop = Date.parse((await b.service.get("a")).created_at);
  const byQuery = await listen(`${EVENTS}?last_event_id=1.0~0~${loop}&after=0`);
  expect(told(await byQuery.take(2)).facts.map(({ revision }) => revision)).toEqual([2, 3]);
  await addTask(b.service, "a", "t3");
  expect(told(await byQuery.take(1)).facts.map(({ revision }) => revision)).toEqual([4]);
  expect(events, "how often the past was read").toHaveBeenCalledOnce();
  const byHeader = await listen(`${EVENTS}?last_event_id=1.0~0~${loop}`, `2.0~0~${loop}`);
  expect(told(await byHeader.take(2)).facts.map(({ revision }) => revision)).toEqual([3, 4]);
});

test("when the log was rotated meanwhile, what is gone is said, and what is left comes once", async () => {
  const b = await liveLoop("fs");
  const path = join(b.store.progressDir("a"), "agent.log");
  const write = async (...texts: string[]) => {
    const before = (await Array.fromAsync(b.service.activity("a"))).length;
    await b.store.appendLog(
      "a",
      texts.map((text) => line(text, 1)),
    );
    await vi.waitFor(async () =>
      expect(await Array.fromAsync(b.service.activity("a"))).toHaveLength(before + texts.length),
    );
  };
  await write("0");
  let server = b.serve();
  const reader = await server.listen(EVENTS);
  await write("1", "2");
  await reader.take(2);
  await reader.leave();
  server.live.close();
  server = b.serve();

  // All of one millisecond; the log is moved in the middle of it, as its writer does at 16 MiB.
  renameSync(path, `${path}.1`);
  await write("3", "4");
  const once = await server.listen(EVENTS, reader.lastId);
  expect(told(await once.take(2)).activity).toMatchObject([line("3", 1), line("4", 1)]);
  await once.leave();

  renameSync(path, `${path}.1`);
  await write("5");
  const whole = await server.listen(EVENTS, once.lastId);
  expect(told(await whole.take(1)).activity).toMatchObject([line("5", 1)]);
  await whole.leave();

  const late = await server.listen(EVENTS, reader.lastId);
  const [gap, ...rest] = await late.take(4);
  expect(gap?.event).toBe("activity.gap");
  expect(told(rest).activity).toMatchObject([line("3", 1), line("4", 1), line("5", 1)]);
});

test("when another program empties the log, listeners are sent away, and come back to what is there", async () => {
  const b = await liveLoop("fs");
  const { listen } = b.serve();
  const reader = await listen(EVENTS);
  await b.store.appendLog("a", [line("1", 1), line("2", 1)]);
  await reader.take(2);
  truncateSync(join(b.store.progressDir("a"), "agent.log"));
  await b.store.appendLog("a", [line("3", 1)]);
  expect(await reader.rest()).toEqual([]);
  const again = await listen(EVENTS, reader.lastId);
  const [gap, ...rest] = await again.take(2);
  expect(gap?.event).toBe("activity.gap");
  expect(told(rest).activity).toMatchObject([line("3", 1)]);
});

test("a loop that is deleted says so, and its streams end", async () => {
  const b = await liveLoop("fs");
  const { listen, app, live } = b.serve();
  const readers = await Promise.all([listen(EVENTS), listen(EVENTS)]);
  await addTask(b.service, "a", "t1");
  for (const reader of readers) await reader.take(1);
  await b.service.delete("a");
  for (const reader of readers) {
    expect((await reader.rest()).map(({ event }) => event)).toEqual(["loop.deleted"]);
  }
  expect(live.figures()).toMatchObject({ listeners: 0, loops: 0 });
  expect((await app.request(EVENTS)).status).toBe(404);
});

test("a stream that is quiet says now and then that it lives", async () => {
  const b = await liveLoop();
  const { app } = b.serve({ limits: { pingMs: 10 } });
  const { body } = await app.request(EVENTS);
  let text = "";
  for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    if (text.split("event: ping").length > 3) break;
  }
  expect(text).toMatch(/^retry: 2000\nevent: ping\ndata: \{"at":"[^"]+"\}\nid: 1~0~\d+\n\n/);
  expect(text.match(/^id: /gm)).toHaveLength(1);
});
