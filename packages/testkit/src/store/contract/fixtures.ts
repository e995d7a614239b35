import { isLoopError, type LoopEvent, LoopState, type LoopStore } from "@ccw-loop/core";
import { expect, it } from "vitest";

/** Opens a fresh, empty store; the suite closes it. */
export type OpenStore = () => LoopStore | Promise<LoopStore>;

export const AT = "2026-01-22T10:00:00.000Z";
export const BY = { actor: "test" };

export function newLoop(loop_id: string, more: Record<string, unknown> = {}): LoopState {
  return LoopState.parse({
    loop_id,
    title: `Title of ${loop_id}`,
    status: "created",
    created_at: AT,
    updated_at: AT,
    ...more,
  });
}

/** A time `seconds` after the loops of this suite were created. */
export function later(seconds: number): string {
  return new Date(Date.parse(AT) + seconds * 1000).toISOString();
}

export const started = (at = AT): LoopEvent => ({ type: "loop.started", at });
export const paused = (at = AT): LoopEvent => ({ type: "loop.paused", at });
export const noted = (notes: string, at = AT): LoopEvent => ({
  type: "loop.edited",
  at,
  changes: { notes },
});

/** The code of the LoopError that `work` rejects with; `none` when it does not. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "none",
    (error: unknown) => (isLoopError(error) ? error.code : String(error)),
  );
}

/** Expects exactly one success and this code everywhere else. */
export function expectOneWinner(outcomes: string[], code: string): void {
  expect(outcomes.filter((outcome) => outcome === "none")).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome === code)).toHaveLength(outcomes.length - 1);
}

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
