import type { LoopStore } from "@ccw-loop/core";
import { it } from "vitest";
import { newLoop, type OpenStore } from "./fixtures.ts";

/** A test that gets a fresh store and closes it, whatever happens. */
export function storeTest(open: OpenStore) {
  return (title: string, body: (store: LoopStore) => Promise<void>): void => {
    it(title, async () => {
      const store = await open();
      try {
        await body(store);
      } finally {
        await store.close();
      }
    });
  };
}

/** The same with one loop `a` in the store. */
export function loopTest(open: OpenStore) {
  const test = storeTest(open);
  return (title: string, body: (store: LoopStore) => Promise<void>): void =>
    test(title, async (store) => {
      await store.create(newLoop("a"), { actor: "test" });
      await body(store);
    });
}
