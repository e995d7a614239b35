import { webClock } from "../live/stream/clock.ts";

interface Options {
  /**
   * The first value is waited for, so that what cannot even begin is an error answer instead of a stream that breaks
   * off.
   */
  begin: boolean;
  /** The client reads no more. */
  left?: () => void;
  /** After so many milliseconds without a value an empty line shows that the connection lives. */
  quietMs?: number;
}

/** What an iterable yields as NDJSON, as fast as the client reads it. */
export async function ndjson(
  values: AsyncIterable<unknown>,
  { begin, left = () => undefined, quietMs }: Options,
): Promise<Response> {
  const iterator = values[Symbol.asyncIterator]();
  let next: Promise<IteratorResult<unknown>> | undefined;
  if (begin) {
    next = iterator.next();
    await next;
  }
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      next ??= iterator.next();
      const got = quietMs === undefined ? await next : await orQuiet(next, quietMs);
      if (got === null) return controller.enqueue(encoder.encode("\n"));
      next = undefined;
      if (got.done) controller.close();
      else controller.enqueue(encoder.encode(`${JSON.stringify(got.value)}\n`));
    },
    async cancel() {
      left();
      await iterator.return?.();
    },
  });
  return new Response(body, { headers: { "Content-Type": "application/x-ndjson; charset=utf-8" } });
}

async function orQuiet<T>(value: Promise<T>, ms: number): Promise<T | null> {
  const over = new AbortController();
  const quiet = webClock.sleep(ms, over.signal).then(() => null);
  try {
    return await Promise.race([value, quiet]);
  } finally {
    over.abort();
  }
}
