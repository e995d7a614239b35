import {
  isLoopError,
  type LiveEvent,
  LoopError,
  LoopStatus,
  RecordedEvent,
  Waiting,
  type WatchOptions,
} from "@ccw-loop/core";
import { type EventSourceMessage, EventSourceParserStream } from "eventsource-parser/stream";
import { z } from "zod";
import { webClock } from "../app/web-clock.ts";
import { LIVE } from "../contract/live.ts";
import type { Operation } from "../contract/operation.ts";
import { Activity } from "../contract/progress.ts";
import { cannotConnect } from "./errors.ts";
import type { Filling, HttpTransport } from "./http-transport.ts";

const Fact = z.looseObject({
  recorded: RecordedEvent,
  /** Its number within its commit. */
  index: z.int().min(0),
  /** How the loop stands behind it; absent in the past, which newer facts have overtaken. */
  state: z.looseObject({ status: LoopStatus, waiting: Waiting.nullable() }).optional(),
});
const Told = z.looseObject({ activity: Activity });
const Resync = z.looseObject({ revision: z.int().optional() });

/** What a stream tells of a loop, and where in the journal that is. */
export interface StreamEvent {
  live: LiveEvent;
  fact?: { revision: number; index: number; state: z.output<typeof Fact>["state"] };
}

/** Listens to a loop; rejects when that cannot be. Every fact comes once, over any number of connections. */
export async function openLoopStream(
  exchange: HttpTransport,
  id: string,
  { signal, after, ...since }: WatchOptions & { after: number },
): Promise<AsyncIterable<StreamEvent>> {
  const messages = await openMessages({
    exchange,
    signal,
    operation: LIVE.loopEvents,
    resume: (lastId) => ({
      id,
      ...(lastId === null
        ? { query: { after, ...since } }
        : { headers: { "last-event-id": lastId } }),
    }),
  });
  return streamEvents(exchange, id, after, messages);
}

async function* streamEvents(
  exchange: HttpTransport,
  id: string,
  after: number,
  messages: AsyncIterable<EventSourceMessage>,
): AsyncGenerator<StreamEvent> {
  let last = { revision: after, index: Number.POSITIVE_INFINITY };
  for await (const { event = "", data } of messages) {
    if (event === "loop.deleted") {
      throw new LoopError("loop_not_found", `Loop ${id} was deleted.`);
    }
    if (event === "resync") {
      const { revision } = exchange.read(Resync, data);
      if (revision !== undefined && revision < last.revision) last = { revision, index: 0 };
    } else if (event === "activity") {
      yield { live: { kind: "activity", id, activity: exchange.read(Told, data).activity } };
    } else if (event !== "activity.gap") {
      const { recorded, index, state } = exchange.read(Fact, data);
      const { revision } = recorded;
      if (revision < last.revision || (revision === last.revision && index <= last.index)) continue;
      last = { revision, index };
      yield { live: { kind: "recorded", id, recorded }, fact: { revision, index, state } };
    }
  }
}

const Named = z.looseObject({ id: z.string() });

/** See `LoopService.changes`. After a gap the server tells again what happened in it, and so does this. */
export async function* watchProject(
  exchange: HttpTransport,
  signal: AbortSignal,
): AsyncGenerator<string> {
  if (signal.aborted) return;
  try {
    const messages = await openMessages({
      exchange,
      signal,
      operation: LIVE.projectEvents,
      resume: (lastId) => ({
        query: { kinds: "recorded" },
        ...(lastId === null ? {} : { headers: { "last-event-id": lastId } }),
      }),
    });
    for await (const { event, data } of messages) {
      if (event === "resync") continue;
      yield exchange.read(Named, data).id;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

interface Opened {
  exchange: HttpTransport;
  operation: Operation;
  /** How it is asked for: again behind the last message that came, or (null) as at first. */
  resume: (lastId: string | null) => Filling;
  signal: AbortSignal;
}

/**
 * Opens a stream of server-sent events; rejects when it cannot be opened. Its messages go on over broken connections,
 * and end when the signal aborts. Throws when the server refuses, or stays away for too long.
 */
async function openMessages(opened: Opened): Promise<AsyncIterable<EventSourceMessage>> {
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
    const silent = watchdog(opened.exchange.reconnect.silence, () => closing.abort());
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
  const { signal, exchange } = opened;
  const { reconnect } = exchange;
  const since = performance.now();
  for (let wait = reconnect.first; ; wait = Math.min(wait * 2, reconnect.most)) {
    await webClock.sleep(wait * (0.5 + Math.random() / 2), signal);
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
  { exchange, operation, resume, signal }: Opened,
  lastId: string | null,
): Promise<ReadableStream<Uint8Array>> {
  const filling = { ...resume(lastId), signal };
  return (await exchange.stream(operation, filling, "text/event-stream")).body;
}

function watchdog(ms: number, bark: () => void): { begin(): void; end(): void } {
  let timer: ReturnType<typeof setTimeout>;
  const begin = () => {
    timer = setTimeout(bark, ms);
  };
  begin();
  return { begin, end: () => clearTimeout(timer) };
}

/** The lines of an answer as its schema reads them. Ends when its signal aborts; throws when it breaks off. */
export async function* ndjsonLines<S extends z.ZodType>(
  exchange: HttpTransport,
  operation: Operation & { answer: { ndjson: S } },
  filling: Filling,
): AsyncGenerator<z.output<S>> {
  const { signal } = filling;
  const { ndjson } = operation.answer;
  let rest = "";
  try {
    const { body } = await exchange.stream(operation, filling, "application/x-ndjson");
    for await (const text of untilAborted(body.pipeThrough(new TextDecoderStream()), signal)) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (signal?.aborted) return;
        // An empty one only shows that the connection lives.
        if (line !== "") yield exchange.read(ndjson, line);
      }
    }
    if (rest !== "" && !signal?.aborted) yield exchange.read(ndjson, rest);
  } catch (error) {
    if (!signal?.aborted)
      throw error instanceof TypeError ? cannotConnect(exchange.address, error) : error;
  }
}

/** What a stream yields until its end or the signal; whoever leaves earlier cancels it. */
async function* untilAborted<T>(
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
