import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "@ccw-loop/core";

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => new Date(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    await delay(Math.min(ms, 2 ** 31 - 1), undefined, signal ? { signal } : {}).catch(
      () => undefined,
    );
  },
};
