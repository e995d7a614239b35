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
