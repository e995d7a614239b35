/** Time as data. Wall time names moments in files; monotonic time measures durations. */
export interface Clock {
  now(): Date;
  /** Milliseconds that never go back; only differences mean something. */
  monotonic(): number;
  /** Resolves after `ms`, or at once when `signal` aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The result of `work`, or a rejection with the signal's reason as soon as it aborts; `work` itself is not ended. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const give = () => reject(signal.reason);
  if (signal.aborted) give();
  signal.addEventListener("abort", give);
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", give);
  }
}
