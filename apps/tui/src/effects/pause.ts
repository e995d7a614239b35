/** Resolves after so many ms, or when the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = () => resolve();
  const timer = setTimeout(done, ms);
  signal.addEventListener("abort", done, { once: true });
  await promise;
  clearTimeout(timer);
  signal.removeEventListener("abort", done);
}

/** Lets keys be read and frames be drawn, in the middle of a stream that never stops. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
