import {
  type ListQuery,
  LoopError,
  type LoopService,
  type SummaryChange,
  summaryOf,
} from "@ccw-loop/core";
import { followLoop, followLoops } from "@ccw-loop/view";
import { expect, onTestFinished, test, vi } from "vitest";
import { Connection } from "../src/effects/connection.ts";
import type { Message } from "../src/model/model.ts";
import { loopsInMemory } from "./support/place.ts";
import { made } from "./support/some-loops.ts";

const SOON = { interval: 5, timeout: 10_000 };

/** Where messages go, until the test is over. */
function ear() {
  const messages: Message[] = [];
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const heard = <T extends Message["type"]>(type: T) =>
    messages.filter((message): message is Extract<Message, { type: T }> => message.type === type);
  return {
    send: (message: Message) => void messages.push(message),
    signal: over.signal,
    heard,
    over,
  };
}

test("all loops are told, then what changes, is new or goes", async () => {
  const service = loopsInMemory();
  await service.create({ id: "a", description: "one" });
  const { heard, ...ears } = ear();
  void followLoops({ service, ...ears });
  await vi.waitFor(() => expect(heard("listed")).toHaveLength(1), SOON);
  expect(heard("listed")[0]).toMatchObject({ total: 1, complete: true, ids: new Set(["a"]) });
  await service.create({ id: "b", description: "two" });
  await service.send("a", { type: "start" });
  const changed = () =>
    heard("changed").flatMap(({ changes }) =>
      changes.map(({ id, summary }) => [id, summary?.status]),
    );
  await vi.waitFor(() => {
    expect(changed()).toContainEqual(["b", "created"]);
    expect(changed()).toContainEqual(["a", "running"]);
  }, SOON);
  await service.delete("b");
  await vi.waitFor(() => expect(changed()).toContainEqual(["b", undefined]), SOON);
});

/** Loops that never change, told in pages as the store tells them. */
async function listing(count: number) {
  const one = summaryOf(await made({}));
  const all = Array.from({ length: count }, (_, i) => ({
    ...one,
    id: `l${i}`,
    updated_at: new Date(2e12 - i).toISOString(),
  }));
  const asked: ListQuery[] = [];
  const service = {
    async summaries(query: ListQuery = {}) {
      asked.push(query);
      const from = all.findIndex(({ id }) => id === query.after?.loop_id) + 1;
      return { loops: all.slice(from, from + (query.limit ?? 50)), total: count, damaged: [] };
    },
    list: () => Promise.reject(new LoopError("internal", "Whole loops are not asked for.")),
    async *summaryChanges(signal: AbortSignal) {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      yield* [];
    },
  };
  return { service, asked };
}

test("ten thousand loops come in pages, the newest at once", async () => {
  const { heard, ...ears } = ear();
  const { service, asked } = await listing(10_000);
  void followLoops({ service, ...ears });
  await vi.waitFor(() => expect(heard("listed").at(-1)?.complete).toBe(true), SOON);
  const pages = heard("listed");
  expect(pages[0]?.summaries).toHaveLength(500);
  expect(pages.flatMap(({ summaries }) => summaries)).toHaveLength(10_000);
  expect(pages.filter(({ complete, ids }) => complete || ids)).toHaveLength(1);
  expect(asked.every(({ limit }) => limit === 500)).toBe(true);
});

test("more than anybody looks through is left out", async () => {
  const { heard, ...ears } = ear();
  void followLoops({ service: (await listing(30_000)).service, ...ears });
  await vi.waitFor(() => expect(heard("listed").at(-1)?.complete).toBe(true), SOON);
  expect(heard("listed").flatMap(({ summaries }) => summaries)).toHaveLength(20_000);
  expect(heard("listed").at(-1)?.total).toBe(30_000);
});

/** The same loops, behind something that may be away. */
function reachable(service: LoopService) {
  const state = { away: false };
  const away = () => new LoopError("store_unavailable", "http://127.0.0.1:1 cannot be reached.");
  const cut = new Set<() => void>();
  const guarded: LoopService = {
    ...service,
    list: async (query) => (state.away ? Promise.reject(away()) : service.list(query)),
    summaries: async (query) => (state.away ? Promise.reject(away()) : service.summaries(query)),
    async *summaryChanges(signal) {
      const { promise, reject } = Promise.withResolvers<IteratorResult<SummaryChange>>();
      promise.catch(() => undefined);
      cut.add(() => reject(away()));
      const told = service.summaryChanges(signal)[Symbol.asyncIterator]();
      for (;;) {
        const { done, value } = await Promise.race([told.next(), promise]);
        if (done) return;
        yield value;
      }
    },
  };
  return {
    service: guarded,
    goAway() {
      state.away = true;
      for (const reject of cut) reject();
    },
    comeBack() {
      state.away = false;
    },
  };
}

test("a link that is lost is told, comes back by itself, and then nothing is missing", async () => {
  const behind = loopsInMemory();
  await behind.create({ id: "a", description: "one" });
  await behind.create({ id: "b", description: "two" });
  const { service, goAway, comeBack } = reachable(behind);
  const { heard, over: _, ...ears } = ear();
  const link = new Connection({ service, ...ears, remote: false, now: () => 7 });
  void link.keep();
  await vi.waitFor(() => expect(heard("listed")).toHaveLength(1), SOON);
  goAway();
  await vi.waitFor(() => expect(heard("linked")).toHaveLength(1), SOON);
  expect(heard("linked")[0]?.link).toEqual({
    state: "lost",
    since: 7,
    reason: "http://127.0.0.1:1 cannot be reached.",
  });
  await behind.create({ id: "c", description: "three" });
  await behind.delete("a");
  comeBack();
  await vi.waitFor(() => expect(heard("linked").at(-1)?.link).toEqual({ state: "live" }), SOON);
  await vi.waitFor(() => expect(heard("listed").at(-1)?.ids).toEqual(new Set(["b", "c"])), SOON);
  expect(heard("linked")).toHaveLength(2);
});

test("a place that stands still is a lost link until it answers again", async () => {
  const { heard, over: _, ...ears } = ear();
  const still = Promise.withResolvers<void>();
  const loops = loopsInMemory();
  let asked = 0;
  const list: typeof loops.list = async (query) => {
    if (query?.limit === 1 && ++asked === 1) await still.promise;
    return loops.list(query);
  };
  const link = new Connection({
    ...{ service: { ...loops, list }, ...ears },
    ...{ remote: true, now: () => 7, every: 20, patience: 50 },
  });
  void link.keep();
  await vi.waitFor(
    () => expect(heard("linked").map(({ link: { state } }) => state)).toEqual(["lost", "live"]),
    SOON,
  );
  expect(heard("linked")[0]?.link).toMatchObject({ reason: "Nobody answered for 0.05 seconds." });
  still.resolve();
});

test("what a call could not reach is a lost link, too", async () => {
  const { heard, over: _, ...ears } = ear();
  const link = new Connection({ service: loopsInMemory(), ...ears, remote: true, now: () => 7 });
  void link.keep();
  link.lose(new LoopError("store_unavailable", "Away."));
  link.lose(new LoopError("store_unavailable", "Away."));
  await vi.waitFor(
    () => expect(heard("linked").map(({ link: { state } }) => state)).toEqual(["lost", "live"]),
    SOON,
  );
});

test("a loop is told from its beginning, then as it goes on, and that it is gone", async () => {
  const service = loopsInMemory();
  const settings = { mode: "auto" as const };
  await service.create({ id: "a", description: "Add a flag", settings });
  await service.run("a");
  await service.send("a", { type: "pause" });
  const { heard, over: _, ...ears } = ear();
  void followLoop("a", { service, ...ears, lost: () => undefined });
  await vi.waitFor(() => expect(heard("opened")).toHaveLength(1), SOON);
  const [past] = heard("opened");
  expect(past?.progress.steps.map(({ action }) => action)).toContain("VALIDATE");
  expect(past?.progress.runs.passRates).toEqual([1]);
  await service.send("a", { type: "resume" });
  const facts = () =>
    heard("happened").flatMap(({ events }) =>
      events.flatMap((event) => (event.kind === "recorded" ? [event.recorded.event.type] : [])),
    );
  await vi.waitFor(() => expect(facts()).toEqual(["loop.resumed"]), SOON);
  await service.send("a", { type: "pause" });
  await service.delete("a");
  await vi.waitFor(() => expect(heard("unopened")).toHaveLength(1), SOON);
});

test("a loop that is not there is told as such", async () => {
  const { heard, over: _, ...ears } = ear();
  await followLoop("none", { service: loopsInMemory(), ...ears, lost: () => undefined });
  expect(heard("unopened")).toEqual([
    { type: "unopened", id: "none", reason: "Loop not found: none" },
  ]);
});

test("a stream that never stops leaves room for keys, and is told in bounded batches", async () => {
  const service = loopsInMemory();
  await service.create({ id: "a", description: "Add a flag" });
  const { heard, over, ...ears } = ear();
  const record = {
    at: "2026-01-22T10:00:00.000Z",
    action: "DEVELOP",
    event: { type: "message.delta", text: "x" },
  };
  const endless: Pick<LoopService, "get" | "events" | "watch"> = {
    get: service.get,
    events: service.events,
    async *watch(id) {
      for (;;) yield { kind: "activity", id, activity: record as never };
    },
  };
  const following = followLoop("a", { service: endless, ...ears, lost: () => undefined });
  await vi.waitFor(() => expect(heard("happened").length).toBeGreaterThan(2), SOON);
  over.abort();
  for (const { events } of heard("happened")) expect(events.length).toBeLessThanOrEqual(5000);
  expect(heard("happened").some(({ leftOut }) => leftOut > 0)).toBe(true);
  void following;
});
