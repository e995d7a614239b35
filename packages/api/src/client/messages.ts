import { isLoopError } from "@ccw-loop/core";
import { type EventSourceMessage, EventSourceParserStream } from "eventsource-parser/stream";
import type { HttpTransport, RequestSpec } from "./exchange.ts";
import { cannotConnect } from "./failure.ts";
import { untilAborted } from "./ndjson.ts";
import type { Reconnect } from "./options.ts";

/** How a stream is asked for: again behind the last message that came, or (null) as at first. */
export type Resume = (lastId: string | null) => Pick<RequestSpec, "path" | "query" | "headers">;

interface Opened {
  exchange: HttpTransport;
  resume: Resume;
  signal: AbortSignal;
  reconnect: Reconnect;
}

/**
 * Opens a stream of server-sent events; rejects when it cannot be opened. Its messages go on over broken connections,
 * and end when the signal aborts. Throws when the server refuses, or stays away for too long.
 */
export async function openMessages(opened: Opened): Promise<AsyncIterable<EventSourceMessage>> {
  const first = await connect(opened, null);
  return messages(opened, first);
}

async function* messages(
  opened: Opened,
  first: ReadableStream<Uint8Array>,
): AsyncGenerator<EventSourceMessage> {
  const { signal } = opened;
  let body = first;
  let lastId: string | null = null;
  for (;;) {
    const closing = new AbortController();
    const silent = watchdog(opened.reconnect.silence, () => closing.abort());
    const until = AbortSignal.any([signal, closing.signal]);
    try {
      const decoded = body.pipeThrough(new TextDecoderStream());
      const parsed = decoded.pipeThrough(new EventSourceParserStream());
      for await (const message of untilAborted(parsed, until)) {
        silent.end();
        if (message.id !== undefined && message.id !== "") lastId = message.id;
        if (message.event !== "ping") yield message;
        silent.begin();
      }
    } catch {
      // The connection broke off; what the server has to say is said when it is asked again.
    } finally {
      silent.end();
    }
    if (signal.aborted) return;
    const next = await reconnected(opened, lastId);
    if (next === null) return;
    body = next;
  }
}

/** Null when the signal aborts first. */
async function reconnected(
  opened: Opened,
  lastId: string | null,
): Promise<ReadableStream<Uint8Array> | null> {
  const { signal, reconnect, exchange } = opened;
  const since = performance.now();
  for (let wait = reconnect.first; ; wait = Math.min(wait * 2, reconnect.most)) {
    await pause(wait * (0.5 + Math.random() / 2), signal);
    if (signal.aborted) return null;
    try {
      return await connect(opened, lastId);
    } catch (error) {
      if (signal.aborted) return null;
      if (!isLoopError(error, "store_unavailable", "internal")) throw error;
      if (performance.now() - since > reconnect.giveUp) {
        throw cannotConnect(exchange.address, error.cause ?? error);
      }
    }
  }
}

async function connect(
  { exchange, resume, signal }: Opened,
  lastId: string | null,
): Promise<ReadableStream<Uint8Array>> {
  const ask = { ...resume(lastId), signal };
  return (await exchange.stream(ask, "text/event-stream")).body;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", resolve, { once: true });
  await promise;
  signal.removeEventListener("abort", resolve);
  clearTimeout(timer);
}

function watchdog(ms: number, bark: () => void): { begin(): void; end(): void } {
  let timer: ReturnType<typeof setTimeout>;
  const begin = () => {
    timer = setTimeout(bark, ms);
  };
  begin();
  return { begin, end: () => clearTimeout(timer) };
}
