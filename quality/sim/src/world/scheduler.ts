import type { Random } from "@ccw-loop/testkit";

/** Whose code a step runs: it is held while its process is suspended, and dropped when that is dead. */
export interface Runner {
  alive: boolean;
  suspended: boolean;
  held: (() => void)[];
}

interface Step {
  at: number;
  order: number;
  runner: Runner | null;
  run: () => void;
  cancelled: boolean;
}

/** One step at a time, in the order of a virtual time. Steps of the same moment come in an order of the seed's. */
export class Scheduler {
  /** Milliseconds since the machine was first started. */
  now = 0;
  steps = 0;
  readonly #random: Random;
  readonly #queue: Step[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  /** Returns what cancels it. */
  post(runner: Runner | null, delay: number, run: () => void): () => void {
    const step: Step = {
      at: this.now + Math.max(0, delay),
      order: this.#random.next(),
      runner,
      run,
      cancelled: false,
    };
    let [low, high] = [0, this.#queue.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(step, this.#queue[middle] as Step)) low = middle + 1;
      else high = middle;
    }
    this.#queue.splice(low, 0, step);
    return () => {
      step.cancelled = true;
    };
  }

  /** Resolves in a later step of that process; never when it dies first. */
  pass(runner: Runner | null, delay: number): Promise<void> {
    return new Promise((resolve) => {
      this.post(runner, delay, resolve);
    });
  }

  /** Runs steps until there is none, or `done` says so; everything a step leads to happens before the next one. */
  runUntil(done: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const tick = () => {
        try {
          if (done() || !this.#next()) return resolve();
        } catch (error) {
          return reject(error as Error);
        }
        later();
      };
      // From among the promises, a tick comes when none of them is left to be settled.
      const later = () => queueMicrotask(() => process.nextTick(tick));
      later();
    });
  }

  #next(): boolean {
    for (;;) {
      const step = this.#queue.pop();
      if (!step) return false;
      const { runner, run } = step;
      if (step.cancelled || runner?.alive === false) continue;
      this.now = Math.max(this.now, step.at);
      if (runner?.suspended) {
        runner.held.push(() => {
          if (!step.cancelled) run();
        });
        continue;
      }
      this.steps += 1;
      run();
      return true;
    }
  }
}

/** The queue ends with what comes first. */
function isBefore(one: Step, other: Step): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
