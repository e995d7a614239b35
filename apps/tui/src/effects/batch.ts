import type { LiveEvent } from "@ccw-loop/core";

/** Records of activity that one batch holds; who writes more is not read anyway. */
const MOST = 5000;

/** What happened since the last batch, bounded: every fact, and the newest activity. */
export class Batch {
  #events: LiveEvent[] = [];
  #activity = 0;
  #leftOut = 0;

  get isEmpty(): boolean {
    return this.#events.length === 0;
  }

  add(event: LiveEvent): void {
    this.#events.push(event);
    if (event.kind !== "activity") return;
    this.#activity += 1;
    // Rarely, because it goes through all of them.
    if (this.#activity >= 2 * MOST) this.#thin();
  }

  take(): { events: readonly LiveEvent[]; leftOut: number } {
    if (this.#activity > MOST) this.#thin();
    const taken = { events: this.#events, leftOut: this.#leftOut };
    this.#events = [];
    this.#activity = 0;
    this.#leftOut = 0;
    return taken;
  }

  #thin(): void {
    let surplus = this.#activity - MOST;
    this.#leftOut += surplus;
    this.#activity = MOST;
    this.#events = this.#events.filter(({ kind }) => {
      const isSurplus = kind === "activity" && surplus > 0;
      if (isSurplus) surplus -= 1;
      return !isSurplus;
    });
  }
}
