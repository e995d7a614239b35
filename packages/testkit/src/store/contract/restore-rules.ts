import type { LoopEvent, LoopRecords, LoopStore } from "@ccw-loop/core";
import { describe, expect } from "vitest";
import {
  BY,
  codeOf,
  later,
  loopTest,
  newLoop,
  noted,
  type OpenStore,
  paused,
  started,
  storeTest,
} from "./fixtures.ts";

/** What a store knows of loop `a`. */
async function recordsOf(store: LoopStore): Promise<LoopRecords> {
  const { state } = await store.read("a");
  const log = await Array.fromAsync(store.readLog("a"));
  return {
    ...{ state, events: await Array.fromAsync(store.events("a")) },
    log: log.map(({ record }) => record),
  };
}

export function restoreRules(open: OpenStore): void {
  const test = storeTest(open);
  const loopedTest = loopTest(open);

  describe("restore", () => {
    loopedTest("brings a loop back as it was, with history and log", async (store) => {
      await store.append("a", 1, [started(later(1)), noted("x", later(1))], BY);
      await store.append("a", 2, [paused(later(2))], { actor: "another", opId: "op" });
      await store.appendLog("a", [{ n: 1 }, "two", null]);
      const before = await recordsOf(store);
      await store.remove("a");
      const made = await store.restore(before);
      expect(made.revision).toBe(3);
      const after = await recordsOf(store);
      expect(after).toEqual({ ...before, state: made.state });
      expect(unsealed(after)).toEqual(unsealed(before));
      expect((await store.list()).loops).toEqual([made]);
      const more = await store.append("a", 3, [noted("y", later(3))], BY);
      expect(more.revision).toBe(4);
      expect(await Array.fromAsync(store.events("a", 3))).toHaveLength(1);
      await store.appendLog("a", ["more"]);
      expect((await recordsOf(store)).log).toEqual([...before.log, "more"]);
      await store.release(await store.claim("a", "me", 1000));
    });

    test("of a long history, and of one that lost its beginning", async (store) => {
      const state = newLoop("a", { notes: "n", revision: 300 });
      const events = Array.from({ length: 299 }, (_, at) => ({
        ...{ revision: at + 2, actor: `actor ${at}`, event: noted(`${at}`, later(at)) },
      }));
      const log = Array.from({ length: 1200 }, (_, n) => ({ n }));
      const { revision } = await store.restore({ state, events, log });
      expect(revision).toBe(300);
      const { state: read, ...rest } = await recordsOf(store);
      expect(rest).toEqual({ events, log });
      expect(read.notes).toBe("n");
      expect(await Array.fromAsync(store.events("a", 298))).toEqual(events.slice(-2));
      expect((await store.append("a", 300, [noted("z", later(400))], BY)).revision).toBe(301);
      expect(await Array.fromAsync(store.events("a"))).toHaveLength(300);
    });

    loopedTest("never takes the place of a loop", async (store) => {
      const { state } = await store.read("a");
      const other = { ...state, title: "another", revision: 7 };
      expect(await codeOf(store.restore({ state: other, events: [], log: [] }))).toBe(
        "loop_exists",
      );
      expect((await store.read("a")).state).toEqual(state);
      expect(await Array.fromAsync(store.events("a"))).toHaveLength(1);
    });

    test("of what breaks the schema makes no loop", async (store) => {
      const state = newLoop("a", { revision: 1 });
      const event = { type: "loop.edited", at: "yesterday", changes: {} } as LoopEvent;
      const events = [{ revision: 1, actor: "me", event }];
      expect(await codeOf(store.restore({ state, events, log: [] }))).toBe("invalid_input");
      expect(await codeOf(store.read("a"))).toBe("loop_not_found");
      expect((await store.create(newLoop("a"), BY)).revision).toBe(1);
    });
  });
}

/** A store may give a state another seal. */
function unsealed({ state, ...rest }: LoopRecords) {
  const { etag: _, ...content } = state;
  return { ...rest, state: content };
}
