import { setImmediate as settle } from "node:timers/promises";
import type { Clock } from "@ccw-loop/core";

/** A clock that stands still until a test moves it. */
export interface FakeClock extends Clock {
  /**
   * Moves time on by `ms`. Sleepers wake at their own moment, the earliest first, and what they do before
   * they next wait for something other than a promise is done before time goes on.
   */
  advance(ms: number): Promise<void>;
  /** Sets the wall clock alone, as an administrator would: sleepers and `monotonic` do not notice. */
  setWall(time: string): void;
  /** Resolves as soon as at least `count` (default 1) callers sleep. */
  sleepers(count?: number): Promise<void>;
}

interface Sleeper {
  due: number;
  wake: () => void;
}

/**
 * `start` is the first wall time (RFC 3339). With `auto`, time jumps to the next due moment as soon as
 * somebody sleeps: for code that only waits, not for code that waits for real work with a time limit.
 */
export function fakeClock({ start = "2030-01-01T00:00:00.000Z", auto = false } = {}): FakeClock {
  let elapsed = 0;
  let wallAtZero = Date.parse(start);
  const sleeping = new Set<Sleeper>();
  const watchers = new Set<() => void>();

  function earliest(): Sleeper | undefined {
    return [...sleeping].sort((a, b) => a.due - b.due)[0];
  }

  function wakeNext(): void {
    const next = earliest();
    if (!next) return;
    elapsed = Math.max(elapsed, next.due);
    next.wake();
  }

  return {
    now: () => new Date(wallAtZero + elapsed),
    monotonic: () => elapsed,
    sleep(ms, signal) {
      if (signal?.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = () => {
          sleeping.delete(sleeper);
          signal?.removeEventListener("abort", wake);
          resolve();
        };
        const sleeper = { due: elapsed + Math.max(0, ms), wake };
        sleeping.add(sleeper);
        signal?.addEventListener("abort", wake, { once: true });
        for (const watcher of watchers) watcher();
        if (auto) setImmediate(wakeNext);
      });
    },
    async advance(ms) {
      const target = elapsed + ms;
      await settle();
      for (let next = earliest(); next && next.due <= target; next = earliest()) {
        wakeNext();
        await settle();
      }
      elapsed = target;
    },
    setWall(time) {
      wallAtZero = Date.parse(time) - elapsed;
    },
    sleepers(count = 1) {
      return new Promise((resolve) => {
        const look = () => {
          if (sleeping.size < count) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      });
    },
  };
}
