import type { Clock } from "@ccw-loop/core";

/** A moment: of the wall clock, for what a file names; or of the clock that never jumps, for what we put off. */
export type DueTime = { wall: number } | { monotonic: number };

/** Loops to be looked at at a moment of their own, one each: two numbers, however many loops wait. */
export class Schedule {
  readonly #clock: Clock;
  readonly #moments = new Map<string, DueTime>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  set(id: string, moment: DueTime): void {
    this.#moments.set(id, moment);
  }

  delete(id: string): void {
    this.#moments.delete(id);
  }

  has(id: string): boolean {
    return this.#moments.has(id);
  }

  /** Whether it was put off by us, and that time is not over. */
  isPutOff(id: string): boolean {
    const moment = this.#moments.get(id);
    return moment !== undefined && "monotonic" in moment && this.#left(moment) > 0;
  }

  /** Takes out those whose moment has come, the longest overdue first. */
  due(): string[] {
    const due = [...this.#moments]
      .map(([id, moment]) => ({ id, left: this.#left(moment) }))
      .filter(({ left }) => left <= 0)
      .sort((a, b) => a.left - b.left);
    for (const { id } of due) this.#moments.delete(id);
    return due.map(({ id }) => id);
  }

  /** Milliseconds until the next moment, as the clocks stand now. */
  next(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const moment of this.#moments.values()) next = Math.min(next, this.#left(moment));
    return next;
  }

  #left(moment: DueTime): number {
    return "wall" in moment
      ? moment.wall - this.#clock.now().getTime()
      : moment.monotonic - this.#clock.monotonic();
  }
}
