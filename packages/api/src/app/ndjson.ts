/**
 * What an iterable yields as NDJSON, as fast as the client reads it. `begin`: the first value is waited for, so that
 * what cannot even begin is an error answer instead of a stream that breaks off. `left`: the client reads no more.
 */
export async function ndjson(
  values: AsyncIterable<unknown>,
  { begin, left = () => undefined }: { begin: boolean; left?: () => void },
): Promise<Response> {
  const iterator = values[Symbol.asyncIterator]();
  let first = begin ? await iterator.next() : undefined;
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = first ?? (await iterator.next());
      first = undefined;
      if (done) controller.close();
      else controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`));
    },
    async cancel() {
      left();
      await iterator.return?.();
    },
  });
  return new Response(body, { headers: { "Content-Type": "application/x-ndjson; charset=utf-8" } });
}
