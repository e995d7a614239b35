import type { Clock } from "@ccw-loop/core";

export const webClock: Clock = {
  now: () => new Date(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const wake = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      const timer = setTimeout(wake, Math.max(0, ms));
      signal?.addEventListener("abort", wake, { once: true });
    }),
};

/** What `work` comes to, or null when that takes longer. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(resolve, ms, null);
  // A process that ends need not wait for it.
  Object(timer).unref?.();
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
