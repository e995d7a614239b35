import { type LoopError, toLoopError } from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";

/** One failure of a loop or of the store, and what is to be done about it. */
export interface TrackedFailure {
  error: LoopError;
  retryInMs: number;
  /** How many of its kind were left out before it; null when it is not worth telling either. */
  unsaid: number | null;
}

/** Counts failures in a row by what they concern, and says how long to wait and whether to tell of them. */
export class FailureTracker {
  readonly #deps: Pick<OrchestratorDeps, "clock" | "random">;
  readonly #rows = new Map<string, { failures: number; message: string }>();
  readonly #limit = new NoticeLimit();

  constructor(deps: Pick<OrchestratorDeps, "clock" | "random">) {
    this.#deps = deps;
  }

  /** `lasted`: how long it had gone well until now; what failed after a long time begins a new row. */
  record(about: string, thrown: unknown, lasted = 0): TrackedFailure {
    const error = toLoopError(thrown);
    const before = lasted < LONGEST_MS ? this.#rows.get(about) : undefined;
    const failures = (before?.failures ?? 0) + 1;
    this.#rows.set(about, { failures, message: error.message });
    const isNews = before?.message !== error.message;
    const unsaid = isNews ? this.#limit.admit(error.code, this.#deps.clock.monotonic()) : null;
    return { error, retryInMs: backoffMs(failures, this.#deps.random()), unsaid };
  }

  clear(about: string): void {
    this.#rows.delete(about);
  }
}

const WINDOW_MS = 60_000;
const TOLD_AT_MOST = 5;

/** Bounds how often the same kind of trouble is told, whoever has it: five times a minute, then it is counted. */
export class NoticeLimit {
  readonly #kinds = new Map<string, { since: number; told: number; suppressed: number }>();

  /** How many were left out since the last one told; null to leave out this one. `at` in monotonic milliseconds. */
  admit(kind: string, at: number): number | null {
    const before = this.#kinds.get(kind);
    const counted =
      before && at - before.since < WINDOW_MS
        ? before
        : { since: at, told: 0, suppressed: before?.suppressed ?? 0 };
    this.#kinds.set(kind, counted);
    if (counted.told >= TOLD_AT_MOST) {
      counted.suppressed += 1;
      return null;
    }
    counted.told += 1;
    const { suppressed } = counted;
    counted.suppressed = 0;
    return suppressed;
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
