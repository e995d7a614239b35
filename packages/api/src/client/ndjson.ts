import type { z } from "zod";
import type { HttpTransport, RequestSpec } from "./exchange.ts";
import { cannotConnect } from "./failure.ts";

/** The lines of an answer as `schema` reads them. Ends when its signal aborts; throws when it breaks off. */
export async function* ndjsonLines<S extends z.ZodType>(
  exchange: HttpTransport,
  ask: RequestSpec,
  schema: S,
): AsyncGenerator<z.output<S>> {
  const { signal } = ask;
  let rest = "";
  for await (const text of texts(exchange, ask)) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (signal?.aborted) return;
      // An empty one only shows that the connection lives.
      if (line !== "") yield exchange.read(schema, line);
    }
  }
  if (rest !== "" && !signal?.aborted) yield exchange.read(schema, rest);
}

async function* texts(exchange: HttpTransport, ask: RequestSpec): AsyncGenerator<string> {
  const { signal } = ask;
  try {
    const { body } = await exchange.stream(ask, "application/x-ndjson");
    yield* untilAborted(body.pipeThrough(new TextDecoderStream()), signal);
  } catch (error) {
    if (!signal?.aborted)
      throw error instanceof TypeError ? cannotConnect(exchange.address, error) : error;
  }
}

/** What a stream yields until its end or the signal; whoever leaves earlier cancels it. */
export async function* untilAborted<T>(
  stream: ReadableStream<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T> {
  const reader = stream.getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    while (!signal?.aborted) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    signal?.removeEventListener("abort", cancel);
    cancel();
  }
}
