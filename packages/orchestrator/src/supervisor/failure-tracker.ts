import { type LoopError, toLoopError } from "@ccw-loop/core";

/** One failure of a loop or of the store, and what is to be done about it. */
export interface TrackedFailure {
  error: LoopError;
  retryInMs: number;
  /** False where the same failure was the last one recorded for this loop or store. Only news is reported. */
  isNews: boolean;
}

/** Counts failures in a row, for each loop and for the store, and says how long to wait and whether to report them. */
export class FailureTracker {
  readonly #random: () => number;
  readonly #rows = new Map<string, { failures: number; message: string }>();

  constructor(random: () => number) {
    this.#random = random;
  }

  /** `lasted`: how long it had gone well until now; what failed after a long time begins a new row. */
  record(about: string, thrown: unknown, lasted = 0): TrackedFailure {
    const error = toLoopError(thrown);
    const before = lasted < LONGEST_MS ? this.#rows.get(about) : undefined;
    const failures = (before?.failures ?? 0) + 1;
    this.#rows.set(about, { failures, message: error.message });
    const isNews = before?.message !== error.message;
    return { error, retryInMs: backoffMs(failures, this.#random()), isNews };
  }

  clear(about: string): void {
    this.#rows.delete(about);
  }
}

const FIRST_MS = 1000;
export const LONGEST_MS = 5 * 60 * 1000;

/** Milliseconds until the next try after `failures` in a row (1 and up); `random` (0 to 1) spreads it over half of it. */
export function backoffMs(failures: number, random: number): number {
  const whole = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 20));
  return Math.round(whole * (0.5 + random / 2));
}

/** `ms`, by a quarter more or less, so that many who wait for the same do not come at once. */
export function spread(ms: number, random: number): number {
  return Math.round(ms * (0.75 + random / 2));
}
