import { expect, test, vi } from "vitest";
import { addTask, line, liveLoop, newLoop, serveLive, told } from "./listening.ts";

const EVENTS = "/api/events";

test("the facts of all loops come as they happen, also of new loops, and that a loop was deleted", async () => {
  const b = await liveLoop("fs");
  const reader = await b.serve().listen(EVENTS);
  await addTask(b.service, "a", "t1");
  expect(await brief(reader, 1)).toEqual(["a 2.0 task.added"]);
  await newLoop(b.service, "b");
  expect(await brief(reader, 1)).toEqual(["b 1.0 loop.created"]);
  await b.service.send("b", { type: "start" });
  expect(await brief(reader, 1)).toEqual(["b 2.0 loop.started"]);
  await b.service.delete("a");
  const [deleted] = await reader.take(1);
  expect(deleted).toMatchObject({ event: "loop.deleted", data: '{"kind":"deleted","id":"a"}' });
});

test("a loop that was deleted and made again between two looks begins anew", async () => {
  const b = await liveLoop();
  await addTask(b.service, "a", "t1");
  const { promise: made, resolve: tell } = Promise.withResolvers<void>();
  async function* changes(signal: AbortSignal) {
    await made;
    yield "a";
    yield* b.service.changes(signal);
  }
  const reader = await serveLive({ ...b.service, changes }).listen(EVENTS);
  await b.service.delete("a");
  await newLoop(b.service, "a");
  tell();
  const events = (await reader.take(2)).map(({ event }) => event);
  expect(events).toEqual(["loop.deleted", "loop.created"]);
});

test("a client that comes back to the same server misses nothing and gets nothing twice", async () => {
  const b = await liveLoop();
  const { listen } = b.serve();
  const keeping = await listen(EVENTS);
  const reader = await listen(EVENTS);
  await addTask(b.service, "a", "t1");
  await reader.take(1);
  await keeping.take(1);
  await reader.leave();
  await addTask(b.service, "a", "t2");
  await keeping.take(1);
  const again = await listen(EVENTS, reader.lastId);
  await addTask(b.service, "a", "t3");
  expect(await brief(again, 2)).toEqual(["a 3.0 task.added", "a 4.0 task.added"]);
});

test("a client of a server that is gone is told so, and gets the facts of its time again", async () => {
  const b = await liveLoop("fs");
  await newLoop(b.service, "b");
  const before = b.serve();
  const reader = await before.listen(EVENTS);
  await reader.greeting();
  before.live.close();
  await addTask(b.service, "a", "t1");
  const { listen } = b.serve();
  const again = await listen(EVENTS, reader.lastId);
  const [resync] = await again.take(1);
  expect(resync?.event).toBe("resync");
  expect(JSON.parse(resync?.data ?? "").since).toMatch(/^\d{4}-.*Z$/);
  expect(await brief(again, 3)).toEqual([
    "a 1.0 loop.created",
    "a 2.0 task.added",
    "b 1.0 loop.created",
  ]);
  await addTask(b.service, "b", "t2");
  expect(await brief(again, 1)).toEqual(["b 2.0 task.added"]);
  const later = await listen(EVENTS, again.lastId);
  await addTask(b.service, "b", "t3");
  expect(await brief(later, 1)).toEqual(["b 3.0 task.added"]);
});

test("a client that is too far behind loses its stream, and gets the facts of its time again", async () => {
  const b = await liveLoop();
  const { listen } = b.serve({ limits: { streamBytes: 1000, kept: 1 } });
  const late = await listen(EVENTS);
  await late.greeting();
  const quick = await listen(EVENTS);
  for (let n = 0; n < 20; n += 1) {
    await addTask(b.service, "a", `t${n}`, "x".repeat(2000));
    await quick.take(1);
  }
  const got = await late.rest();
  expect(got.length).toBeLessThan(20);
  const again = await listen(EVENTS, late.lastId);
  const [resync, ...facts] = await again.take(22);
  expect(resync?.event).toBe("resync");
  expect(facts.map(({ data }) => JSON.parse(data).recorded.revision)).toEqual(
    Array.from({ length: 21 }, (_, n) => n + 1),
  );
});

test("clients that stall while they are told the past again hold up nobody else", async () => {
  const b = await liveLoop();
  for (let n = 0; n < 5; n += 1) await addTask(b.service, "a", `t${n}`, "x".repeat(2000));
  const { app, listen } = b.serve({ limits: { streamBytes: 1000, stallMs: 60_000 } });
  const lost = `00000000.1.${Date.now()}`;
  const headers = { "Last-Event-ID": lost };
  const stalled = Array.from({ length: 10 }, () => app.request(EVENTS, { headers }));
  for (const { status } of await Promise.all(stalled)) expect(status).toBe(200);
  const [resync, ...facts] = await (await listen(EVENTS, lost)).take(7);
  expect(resync?.event).toBe("resync");
  expect(told(facts).facts.map(({ revision }) => revision)).toEqual([1, 2, 3, 4, 5, 6]);
});

test("with an id of another kind it is told so, and goes on from now", async () => {
  const b = await liveLoop();
  const reader = await b.serve().listen(EVENTS, "1.0~0.0");
  const [resync] = await reader.take(1);
  expect(resync).toMatchObject({ event: "resync", data: '{"kind":"resync","since":null}' });
  await addTask(b.service, "a", "t1");
  expect(await brief(reader, 1)).toEqual(["a 2.0 task.added"]);
});

test("an id from the future counts as one of now", async () => {
  const b = await liveLoop();
  const future = "00000000.999999999999999.999999999999999";
  const reader = await b.serve().listen(EVENTS, future);
  const [resync] = await reader.take(1);
  expect(Date.parse(JSON.parse(resync?.data ?? "").since)).toBeLessThan(Date.now());
  expect(await brief(reader, 1)).toEqual(["a 1.0 loop.created"]);
});

test("what agents do is told of running loops, to those who ask", async () => {
  const b = await liveLoop();
  await newLoop(b.service, "b");
  await b.service.send("a", { type: "start" });
  const { listen, live } = b.serve();
  const asked = await listen(`${EVENTS}?kinds=activity`);
  await b.service.send("b", { type: "start" });
  const now = Date.now() - Date.parse(line("", 0).at) + 1000;
  await vi.waitFor(async () => {
    for (const id of ["a", "b"]) await b.store.appendLog(id, [line(id, now)]);
  });
  const texts = new Set<string>();
  while (texts.size < 2) {
    const [activity] = told(await asked.take(1)).activity;
    texts.add(JSON.stringify(activity?.event));
  }
  await asked.leave();
  await vi.waitFor(() => expect(live.figures().listeners).toBe(0));
});

/** Loop, revision and number of the next facts. */
async function brief(
  reader: { take(count: number): Promise<{ event?: string | undefined; data: string }[]> },
  count: number,
): Promise<string[]> {
  const messages = await reader.take(count);
  return messages
    .map(({ event, data }) => {
      const { id, recorded, index } = JSON.parse(data);
      return `${id} ${recorded?.revision}.${index} ${event}`;
    })
    .sort();
}

test("who asks for summaries gets each loop in short after its changes, also of the time that was missed", async () => {
  const b = await liveLoop("fs");
  const before = b.serve();
  const reader = await before.listen(`${EVENTS}?kinds=summary`);
  await addTask(b.service, "a", "t1");
  const summaries = async (from: typeof reader) =>
    (await from.take(1)).map(({ event, data }) => [event, JSON.parse(data).summary]);
  const now = async () => (await b.service.summaries()).loops[0];
  expect(await summaries(reader)).toEqual([["loop.summary", await now()]]);
  before.live.close();
  await addTask(b.service, "a", "t2");
  const again = await b.serve().listen(`${EVENTS}?kinds=summary`, reader.lastId);
  expect((await again.take(1))[0]?.event).toBe("resync");
  expect(await summaries(again)).toEqual([["loop.summary", await now()]]);
});
