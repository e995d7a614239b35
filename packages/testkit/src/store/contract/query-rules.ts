import type { LoopStore } from "@ccw-loop/core";
import { describe, expect } from "vitest";
import {
  BY,
  later,
  loopTest,
  newLoop,
  noted,
  type OpenStore,
  started,
  storeTest,
} from "./fixtures.ts";

export function queryRules(open: OpenStore): void {
  const test = storeTest(open);
  const loopedTest = loopTest(open);

  describe("list", () => {
    const fill = async (store: LoopStore) => {
      for (let i = 0; i < 5; i++) {
        const more = { updated_at: later(i), tags: i % 2 ? ["odd"] : [], description: `Day ${i}` };
        await store.create(newLoop(`loop-${i}`, more), BY);
      }
      await store.append("loop-0", 1, [started(later(10))], BY);
    };
    const ids = async (store: LoopStore, query: Parameters<LoopStore["list"]>[0]) =>
      (await store.list(query)).loops.map((loop) => loop.state.loop_id);

    test("the newest change comes first", async (store) => {
      expect(await store.list()).toEqual({ loops: [], total: 0, damaged: [] });
      await fill(store);
      const page = await store.list();
      expect(page.total).toBe(5);
      expect(page.loops.map((loop) => loop.state.loop_id)).toEqual([
        "loop-0",
        "loop-4",
        "loop-3",
        "loop-2",
        "loop-1",
      ]);
      expect(page.loops[0]).toEqual(await store.read("loop-0"));
    });

    test("pages are cut from the whole", async (store) => {
      await fill(store);
      expect(await store.list({ offset: 1, limit: 2 })).toMatchObject({ total: 5 });
      expect(await ids(store, { offset: 1, limit: 2 })).toEqual(["loop-4", "loop-3"]);
      expect(await ids(store, { offset: 9 })).toEqual([]);
      expect(await ids(store, { limit: 0 })).toEqual([]);
    });

    test("a page goes on behind a place in the list, whatever changed before it", async (store) => {
      await fill(store);
      const behind = async (limit: number, loop_id: string, updated_at: string) =>
        ids(store, { after: { loop_id, updated_at }, limit });
      expect(await behind(2, "loop-0", later(10))).toEqual(["loop-4", "loop-3"]);
      await store.append("loop-2", 1, [noted("x", later(20))], BY);
      expect(await behind(9, "loop-3", later(3))).toEqual(["loop-1"]);
      await store.remove("loop-3");
      expect(await behind(9, "loop-3", later(3))).toEqual(["loop-1"]);
      expect(await behind(9, "loop-1", later(1))).toEqual([]);
      const page = await store.list({
        after: { loop_id: "loop-4", updated_at: later(4) },
        limit: 1,
      });
      expect(page).toMatchObject({ total: 4, loops: [{ state: { loop_id: "loop-1" } }] });
    });

    test("filters narrow it and count what is left", async (store) => {
      await fill(store);
      expect(await ids(store, { status: "running" })).toEqual(["loop-0"]);
      expect(await ids(store, { tag: "odd" })).toEqual(["loop-3", "loop-1"]);
      expect(await ids(store, { text: "LOOP-2" })).toEqual(["loop-2"]);
      expect(await ids(store, { text: "title OF loop-4" })).toEqual(["loop-4"]);
      expect(await ids(store, { text: "day 1" })).toEqual(["loop-1"]);
      expect((await store.list({ tag: "odd", status: "created", limit: 1 })).total).toBe(2);
      expect(await ids(store, { tag: "odd", status: "running" })).toEqual([]);
    });

    test("a change is seen by the next list", async (store) => {
      await fill(store);
      await store.list();
      await store.append("loop-2", 1, [noted("x", later(20))], BY);
      expect((await ids(store, {}))[0]).toBe("loop-2");
      await store.remove("loop-2");
      expect(await ids(store, {})).not.toContain("loop-2");
    });
  });

  describe("watch", () => {
    /** The ids that a watch yields while `change` happens, until one is `last`. */
    const watched = async (
      store: LoopStore,
      id: string | undefined,
      last: string,
      change: () => Promise<unknown>,
    ): Promise<string[]> => {
      const stop = new AbortController();
      const seen: string[] = [];
      const ids = store.watch(id, stop.signal)[Symbol.asyncIterator]();
      const next = ids.next();
      await change();
      for (let result = await next; !result.done; result = await ids.next()) {
        seen.push(result.value);
        if (result.value === last) stop.abort();
      }
      return seen;
    };

    loopedTest("tells that a loop changed", async (store) => {
      const change = () => store.append("a", 1, [started()], BY);
      expect(await watched(store, "a", "a", change)).toContain("a");
    });

    loopedTest("tells of one loop only when asked so", async (store) => {
      const change = async () => {
        await store.create(newLoop("b"), BY);
        await store.append("a", 1, [started()], BY);
      };
      expect(new Set(await watched(store, "a", "a", change))).toEqual(new Set(["a"]));
    });

    test("tells of every loop, also of new ones", async (store) => {
      const change = () => store.create(newLoop("b"), BY);
      expect(await watched(store, undefined, "b", change)).toContain("b");
    });

    loopedTest("hears what happens from the call on, whenever it is read", async (store) => {
      const stop = new AbortController();
      const all = store.watch(undefined, stop.signal);
      const one = store.watch("a", stop.signal);
      for (const id of ["b", "c"]) await store.create(newLoop(id), BY);
      await store.append("a", 1, [started()], BY);
      const wanted = new Set(["b", "c"]);
      for await (const id of all) {
        wanted.delete(id);
        if (wanted.size === 0) break;
      }
      for await (const id of one) {
        expect(id).toBe("a");
        break;
      }
      stop.abort();
    });

    loopedTest("ends with its signal", async (store) => {
      const seen: string[] = [];
      for await (const id of store.watch(undefined, AbortSignal.abort())) seen.push(id);
      expect(seen).toEqual([]);
      const stop = new AbortController();
      const next = store.watch("a", stop.signal)[Symbol.asyncIterator]().next();
      stop.abort();
      const result = await next;
      expect(result.done === true || result.value === "a").toBe(true);
    });
  });
}

export function logRules(open: OpenStore): void {
  const test = loopTest(open);
  const logged = async (store: LoopStore) =>
    (await Array.fromAsync(store.readLog("a"))).map(({ record }) => record);

  describe("agent.log", () => {
    test("records come back whole and in order", async (store) => {
      expect(await logged(store)).toEqual([]);
      const records = Array.from({ length: 200 }, (_, n) => ({ n, text: "ü€😀\n\u2028\u0000" }));
      const work = records.map((record) => store.appendLog("a", [record]));
      await Promise.all(work);
      expect(await logged(store)).toEqual(records);
    });

    test("each record has a higher number than the one before, and behind any come those that follow", async (store) => {
      for (const n of [1, 2, 3, 4, 5]) await store.appendLog("a", [{ n }, "a line\n"]);
      const all = await Array.fromAsync(store.readLog("a"));
      const numbers = all.map(({ seq }) => seq);
      expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
      expect(numbers[0]).toBeGreaterThan(0);
      expect(await Array.fromAsync(store.readLog("a", { after: 0 }))).toEqual(all);
      for (const [n, after] of numbers.entries()) {
        expect(await Array.fromAsync(store.readLog("a", { after }))).toEqual(all.slice(n + 1));
      }
      await store.appendLog("a", ["next"]);
      const last = { after: numbers.at(-1) };
      expect(await Array.fromAsync(store.readLog("a", last))).toMatchObject([{ record: "next" }]);
    });

    test("a reader that follows gets what comes later, then ends with its signal", async (store) => {
      await store.appendLog("a", [{ n: 0 }]);
      const stop = new AbortController();
      const seen: unknown[] = [];
      for await (const { record } of store.readLog("a", { follow: stop.signal })) {
        seen.push(record);
        if (seen.length < 3) await store.appendLog("a", [{ n: seen.length }]);
        else stop.abort();
      }
      expect(seen).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
    });

    test("following can begin before the first record", async (store) => {
      const stop = new AbortController();
      const log = store.readLog("a", { follow: stop.signal })[Symbol.asyncIterator]();
      const next = log.next();
      await store.appendLog("a", ["first"]);
      expect(await next).toMatchObject({ done: false, value: { record: "first" } });
      stop.abort();
      expect((await log.next()).done).toBe(true);
    });

    test("has a folder that prompts can name", async (store) => {
      expect(store.progressDir("a")).toContain("a.progress");
    });
  });
}
