/** Time as data. Wall time names moments in files; monotonic time measures durations. */
export interface Clock {
  now(): Date;
  /** Milliseconds that never go back; only differences mean something. */
  monotonic(): number;
  /** Resolves after `ms`, or at once when `signal` aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
