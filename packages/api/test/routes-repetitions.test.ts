import { orAborted } from "@ccw-loop/core";
import { expect, test, vi } from "vitest";
import { IdempotencyCache } from "../src/app/idempotency-cache.ts";
import { createApp, type RequestRecord } from "../src/index.ts";
import { bench } from "./support.ts";

const named = (name: string) => `${name}#same`;

/** Answers with how often it was asked; `size` bytes more or less. */
function counter(size = 1) {
  let asked = 0;
  return async () => {
    asked += 1;
    return new Response(`${asked}`.padStart(size));
  };
}

async function ask(kept: IdempotencyCache, opId: string, act: () => Promise<Response>) {
  const { signal } = new AbortController();
  return Number(await (await kept.once(named(opId), act, signal)).text());
}

test("the oldest requests are forgotten when there are too many", async () => {
  const kept = new IdempotencyCache({ requests: 2 });
  const acts = { a: counter(), b: counter(), c: counter() };
  for (const [opId, act] of Object.entries(acts)) await ask(kept, opId, act);
  expect(await ask(kept, "c", acts.c)).toBe(1);
  expect(await ask(kept, "b", acts.b)).toBe(1);
  expect(await ask(kept, "a", acts.a)).toBe(2);
});

test("the oldest answers are forgotten when all together are too large", async () => {
  const kept = new IdempotencyCache({ bytes: 100 });
  const acts = { a: counter(60), b: counter(60) };
  for (const [opId, act] of Object.entries(acts)) await ask(kept, opId, act);
  expect(await ask(kept, "b", acts.b)).toBe(1);
  expect(await ask(kept, "a", acts.a)).toBe(2);
});

test("a failure reaches everybody who waits for it, and is not kept", async () => {
  const kept = new IdempotencyCache();
  const fail = () => Promise.reject(new Error("no"));
  const both = await Promise.allSettled([ask(kept, "a", fail), ask(kept, "a", fail)]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await ask(kept, "a", counter())).toBe(1);
});

/** Goes on until it is told that nobody waits. */
const patient = (signal: AbortSignal) => orAborted(new Promise<Response>(() => undefined), signal);

test("who repeats a request is not left alone when the first one leaves", async () => {
  const kept = new IdempotencyCache();
  const clients = [new AbortController(), new AbortController()] as const;
  const answers = clients.map(({ signal }) => kept.once(named("a"), patient, signal));
  clients[0].abort("gone");
  expect(await Promise.race([...answers, Promise.resolve("both wait")])).toBe("both wait");
  // The last one leaves, and a third one comes before it has ended.
  clients[1].abort("gone, too");
  const third = ask(kept, "a", counter());
  const ends = await Promise.allSettled(answers);
  expect(ends).toMatchObject([{ reason: "gone, too" }, { reason: "gone, too" }]);
  expect(await third).toBe(1);
});

test("who leaves behind the answer takes nothing away", async () => {
  const kept = new IdempotencyCache();
  const client = new AbortController();
  const act = counter();
  await kept.once(named("a"), act, client.signal);
  client.abort();
  expect(await ask(kept, "a", act)).toBe(1);
});

test("who was put off and comes back gets the answer, also when it failed meanwhile", async () => {
  const kept = new IdempotencyCache();
  const { signal } = new AbortController();
  const works = [1, 2].map(() => Promise.withResolvers<Response>());
  let acts = 0;
  const act = () => works[acts++]?.promise ?? Promise.reject(new Error("once more"));
  const within = (ms: number) => kept.onceWithin(ms, named("a"), act, signal);
  expect([await within(0), await within(0)]).toEqual([null, null]);
  works[0]?.reject(new Error("no"));
  await expect(within(1000)).rejects.toThrow("no");
  expect(acts).toBe(1);
  // It was told, so it may be sent again, corrected.
  expect(await within(0)).toBeNull();
  works[1]?.resolve(new Response("done"));
  expect(await (await within(1000))?.text()).toBe("done");
  expect(await (await within(1000))?.text()).toBe("done");
  expect(acts).toBe(2);
});

test("when several were put off and it fails, whoever comes back first is told so and starts nothing", async () => {
  const kept = new IdempotencyCache();
  const { signal } = new AbortController();
  const work = Promise.withResolvers<Response>();
  const act = vi.fn(() => work.promise);
  const within = (ms: number) => kept.onceWithin(ms, named("a"), act, signal);
  expect([await within(0), await within(0)]).toEqual([null, null]);
  work.reject(new Error("no"));
  // By now everybody who still had to do with it knows.
  await new Promise(setImmediate);
  await expect(within(1000)).rejects.toThrow("no");
  expect(act).toHaveBeenCalledOnce();
});

test("who was put off and does not come back is not waited for in vain", async () => {
  const kept = new IdempotencyCache({ graceMs: 5 });
  const { signal } = new AbortController();
  const ended = Promise.withResolvers<void>();
  const act = (over: AbortSignal) => {
    over.addEventListener("abort", () => ended.resolve(), { once: true });
    return patient(over);
  };
  expect(await kept.onceWithin(0, named("a"), act, signal)).toBeNull();
  await ended.promise;
  expect(await ask(kept, "a", counter())).toBe(1);
});

test.each([{}, { "idempotency-key": "k" }])(
  "a client that leaves is no failure: %j",
  async (headers) => {
    const { service } = bench();
    const verify: typeof service.verify = (_id, { signal } = {}) =>
      new Promise((_, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
        client.abort();
      });
    const records: RequestRecord[] = [];
    const onRequest = (record: RequestRecord) => void records.push(record);
    const app = createApp({ ...service, verify }, { access: "guarded", onRequest });
    const client = new AbortController();
    const { signal } = client;
    const url = "http://localhost/api/loops/v2/a/verify";
    await app.fetch(new Request(url, { method: "POST", headers, signal }));
    expect(records).toMatchObject([{ status: 408, code: "request_timeout" }]);
  },
);
