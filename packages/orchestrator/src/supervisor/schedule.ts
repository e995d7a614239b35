import { type Clock, type LoopState, type LoopStore, orAborted } from "@ccw-loop/core";

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

const PAGE = 100;

/** What a look through the store found. */
export interface Found {
  /** Running loops; those that stand still for the longest time first. */
  running: Pick<LoopState, "loop_id" | "status" | "waiting" | "updated_at">[];
  /** Loops that cannot be read. */
  damaged: string[];
}

/** Page by page; what moves to another page meanwhile was changed, and the store's watch tells of it. */
export async function findRunning(store: LoopStore, signal: AbortSignal): Promise<Found> {
  const running: Found["running"] = [];
  let damaged: string[] = [];
  for (let offset = 0; !signal.aborted; offset += PAGE) {
    const page = await orAborted(store.list({ status: "running", offset, limit: PAGE }), signal);
    for (const { state } of page.loops) {
      const { loop_id, status, waiting, updated_at } = state;
      running.push({ loop_id, status, waiting, updated_at });
    }
    damaged = page.damaged.map(({ id }) => id);
    if (offset + PAGE >= page.total) break;
  }
  running.sort(
    (a, b) =>
      Date.parse(a.updated_at) - Date.parse(b.updated_at) || (a.loop_id < b.loop_id ? -1 : 1),
  );
  return { running, damaged };
}
