import { type LoopError, toLoopError } from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";
import { backoffMs, LONGEST_MS } from "./backoff.ts";
import { NoticeLimit } from "./notice-limit.ts";

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
