import { describe, expect } from "vitest";
import { collect, type OpenStore } from "./fixtures.ts";
import { loopTest } from "./with-store.ts";

export function logRules(open: OpenStore): void {
  const test = loopTest(open);

  describe("agent.log", () => {
    test("records come back whole and in order", async (store) => {
      expect(await collect(store.readLog("a", "agent.log"))).toEqual([]);
      const records = Array.from({ length: 200 }, (_, n) => ({ n, text: "ü€😀\n\u2028\u0000" }));
      const work = records.map((record) => store.appendLog("a", "agent.log", [record]));
      await Promise.all(work);
      expect(await collect(store.readLog("a", "agent.log"))).toEqual(records);
    });

    test("a reader that follows gets what comes later, then ends with its signal", async (store) => {
      await store.appendLog("a", "agent.log", [{ n: 0 }]);
      const stop = new AbortController();
      const seen: unknown[] = [];
      for await (const record of store.readLog("a", "agent.log", stop.signal)) {
        seen.push(record);
        if (seen.length < 3) await store.appendLog("a", "agent.log", [{ n: seen.length }]);
        else stop.abort();
      }
      expect(seen).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
    });

    test("following can begin before the first record", async (store) => {
      const stop = new AbortController();
      const log = store.readLog("a", "agent.log", stop.signal)[Symbol.asyncIterator]();
      const next = log.next();
      await store.appendLog("a", "agent.log", ["first"]);
      expect(await next).toEqual({ done: false, value: "first" });
      stop.abort();
      expect((await log.next()).done).toBe(true);
    });

    test("has a folder that prompts can name", async (store) => {
      expect(store.progressDir("a")).toContain("a.progress");
    });
  });
}
