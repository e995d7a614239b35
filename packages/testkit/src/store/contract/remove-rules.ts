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

const PAIRS = 20;

export function removeRules(open: OpenStore): void {
  const test = storeTest(open);
  const loopedTest = loopTest(open);

  describe("remove", () => {
    loopedTest("takes everything with it", async (store) => {
      await store.append("a", 1, [noted("x")], { ...BY, opId: "op-1" });
      await store.appendLog("a", [{ n: 1 }]);
      await store.remove("a");
      expect(await codeOf(store.read("a"))).toBe("loop_not_found");
      expect(await codeOf(store.append("a", 2, [noted("y")], BY))).toBe("loop_not_found");
      expect(await codeOf(store.operation("a", "op-1"))).toBe("loop_not_found");
      expect(await codeOf(store.remove("a"))).toBe("loop_not_found");
      expect((await store.list()).total).toBe(0);
      expect((await store.create(newLoop("a"), BY)).revision).toBe(1);
      expect(await Array.fromAsync(store.events("a"))).toHaveLength(1);
      expect(await Array.fromAsync(store.readLog("a"))).toEqual([]);
    });

    loopedTest("is refused at another revision than the one it names", async (store) => {
      await store.append("a", 1, [noted("x")], BY);
      for (const revision of [1, 3]) {
        await expect(store.remove("a", { revision })).rejects.toMatchObject({
          code: "revision_conflict",
          details: { revision: 2 },
        });
      }
      expect((await store.read("a")).state.notes).toBe("x");
      await store.remove("a", { revision: 2 });
      expect(await codeOf(store.read("a"))).toBe("loop_not_found");
    });

    loopedTest("is refused for a running loop", async (store) => {
      await store.append("a", 1, [started()], BY);
      const running = { code: "invalid_transition", details: { status: "running" } };
      await expect(store.remove("a")).rejects.toMatchObject(running);
      await expect(store.remove("a", { revision: 2 })).rejects.toMatchObject(running);
      await store.append("a", 2, [paused()], BY);
      await store.remove("a");
    });

    test("and a commit at the same revision exclude each other", async (store) => {
      for (let pair = 0; pair < PAIRS; pair++) {
        const id = `loop-${pair}`;
        await store.create(newLoop(id), BY);
        const remove = () => codeOf(store.remove(id, { revision: 1 }));
        const append = () => codeOf(store.append(id, 1, [noted("kept", later(1))], BY));
        const [removed, appended] = await bothOrders(pair, remove, append);
        expect([removed, appended]).toContain("none");
        if (removed === "none") {
          expect(["revision_conflict", "loop_not_found"]).toContain(appended);
          expect(await codeOf(store.read(id))).toBe("loop_not_found");
        } else {
          expect([removed, appended]).toEqual(["revision_conflict", "none"]);
          expect((await store.read(id)).state.notes).toBe("kept");
        }
      }
    });

    test("never takes a loop that is started at the same moment", async (store) => {
      for (let pair = 0; pair < PAIRS; pair++) {
        const id = `loop-${pair}`;
        await store.create(newLoop(id), BY);
        const remove = () => codeOf(store.remove(id));
        const start = () => codeOf(store.append(id, 1, [started(later(1))], BY));
        const [removed, begun] = await bothOrders(pair, remove, start);
        expect([removed === "none", begun === "none"]).toContain(false);
        if (begun !== "none") continue;
        expect(removed).toBe("invalid_transition");
        expect((await store.read(id)).state.status).toBe("running");
      }
    });

    loopedTest("happens once, however many ask at the same time", async (store) => {
      const codes = await Promise.all(Array.from({ length: 5 }, () => codeOf(store.remove("a"))));
      expect(codes.filter((code) => code === "none")).toHaveLength(1);
      expect(new Set(codes)).toEqual(new Set(["none", "loop_not_found"]));
    });
  });
}

/** Both at once, begun in either order in turn; answers in the order of the arguments. */
async function bothOrders<T>(
  turn: number,
  first: () => Promise<T>,
  second: () => Promise<T>,
): Promise<[T, T]> {
  if (turn % 2 === 0) return Promise.all([first(), second()]);
  const [b, a] = await Promise.all([second(), first()]);
  return [a, b];
}
