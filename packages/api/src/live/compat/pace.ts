/** Between two states of one loop. */
const APART_MS = 1000;

/**
 * Lets the first state of a loop through at once and then at most one in a second: the newest, so that the last one
 * always comes. Times are milliseconds of one clock.
 */
export class StateThrottle<T> {
  readonly #loops = new Map<string, { free: number; waiting: T | undefined }>();

  /** Takes a state; true when it is to be sent now, else `due` gives it later. */
  offer(loop: string, state: T, now: number): boolean {
    const found = this.#loops.get(loop);
    if (found && (found.waiting !== undefined || now < found.free)) {
      found.waiting = state;
      return false;
    }
    this.#loops.set(loop, { free: now + APART_MS, waiting: undefined });
    return true;
  }

  /** What is to be sent now. */
  due(now: number): T[] {
    const states: T[] = [];
    for (const [loop, { free, waiting }] of this.#loops) {
      if (now < free) continue;
      this.#loops.delete(loop);
      if (waiting === undefined) continue;
      states.push(waiting);
      this.#loops.set(loop, { free: now + APART_MS, waiting: undefined });
    }
    return states;
  }

  /** When something is due; null while nothing waits. */
  next(): number | null {
    const times = [...this.#loops.values()].flatMap(({ free, waiting }) =>
      waiting === undefined ? [] : [free],
    );
    return times.length === 0 ? null : Math.min(...times);
  }

  forget(loop: string): void {
    this.#loops.delete(loop);
  }
}
