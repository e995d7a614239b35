import type { LoopState } from "@ccw-loop/core";

/** How one drive of a loop ended; `ms` after it began. */
export type DriveEnd = { state: LoopState } | { error: unknown; ms: number };

/** The loops that are driven now, each with what cuts it off. */
export class Drives {
  readonly #under = new Map<string, { cut: AbortController; over: Promise<void> }>();

  get size(): number {
    return this.#under.size;
  }

  has(id: string): boolean {
    return this.#under.has(id);
  }

  /** `ended` is called when the loop is driven no more. */
  start(
    id: string,
    drive: (signal: AbortSignal) => Promise<LoopState>,
    clock: { monotonic(): number },
    ended: (end: DriveEnd) => void,
  ): void {
    const cut = new AbortController();
    const begun = clock.monotonic();
    const over = drive(cut.signal)
      .then(
        (state): DriveEnd => ({ state }),
        (error: unknown): DriveEnd => ({ error, ms: clock.monotonic() - begun }),
      )
      .then((end) => {
        this.#under.delete(id);
        ended(end);
      });
    this.#under.set(id, { cut, over });
  }

  /** Cuts all of them off and waits until they have ended; answers at once with their names. */
  cutOff(reason: unknown): { ids: string[]; over: Promise<unknown> } {
    const under = [...this.#under];
    for (const [, { cut }] of under) cut.abort(reason);
    return { ids: under.map(([id]) => id), over: Promise.all(under.map(([, { over }]) => over)) };
  }
}
