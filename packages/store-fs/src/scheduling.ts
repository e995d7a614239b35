import type { Runtime, Timer } from "./runtime.ts";

/** Runs work of the same name one after the other, in the order it came; different names do not wait. */
export interface Serial {
  run<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Resolves when nothing is left to do. */
  idle(): Promise<void>;
}

export function keyedQueue(): Serial {
  const tails = new Map<string, Promise<unknown>>();
  return {
    run(name, work) {
      const before = tails.get(name) ?? Promise.resolve();
      const result = before.then(work);
      const tail = result.then(
        () => {},
        () => {},
      );
      tails.set(name, tail);
      void tail.then(() => {
        if (tails.get(name) === tail) tails.delete(name);
      });
      return result;
    },
    async idle() {
      while (tails.size > 0) await Promise.all(tails.values());
    },
  };
}

const BURST = 16;
const EVERY_MS = 20;

/** Decides whether to publish now or a little later, so that a storm of commits shares its publications. */
export interface Throttle {
  /**
   * True to publish now. False when that was done too often lately: then `later` is called within 20 ms,
   * once for all that were put off meanwhile.
   */
  now(name: string, later: () => void): boolean;
  isWaiting(name: string): boolean;
  /** Forgets what was put off; answers with the names. */
  cancel(): string[];
}

/** Sixteen publications of one loop at any time, fifty a second in the long run. */
export function throttle({ elapsed, after }: Pick<Runtime, "elapsed" | "after">): Throttle {
  const budgets = new Map<string, { left: number; at: number }>();
  const waiting = new Map<string, Timer>();
  return {
    now(name, later) {
      if (waiting.has(name)) return false;
      const time = elapsed();
      const before = budgets.get(name) ?? { left: BURST, at: time };
      const left = Math.min(BURST, before.left + (time - before.at) / EVERY_MS);
      budgets.set(name, { left: Math.max(0, left - 1), at: time });
      if (left >= 1) return true;
      const run = () => {
        waiting.delete(name);
        later();
      };
      waiting.set(name, after(EVERY_MS, run));
      return false;
    },
    isWaiting: (name) => waiting.has(name),
    cancel() {
      for (const timer of waiting.values()) timer.cancel();
      const names = [...waiting.keys()];
      waiting.clear();
      return names;
    },
  };
}
