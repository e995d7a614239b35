import {
  isLoopError,
  type LiveEvent,
  LoopError,
  type SummaryChange,
  type WatchOptions,
} from "@ccw-loop/core";
import { type EventSourceMessage, EventSourceParserStream } from "eventsource-parser/stream";
import { z } from "zod";
import { webClock } from "../app/web-clock.ts";
import { LIVE } from "../contract/live.ts";
import type { Operation } from "../contract/operation.ts";
import { cannotConnect } from "./errors.ts";
import type { Filling, HttpTransport } from "./http-transport.ts";

const Resync = z.looseObject({ revision: z.int().optional() });

/** Listens to a loop; rejects when that cannot be. Every fact comes once, over any number of connections. */
export async function openLoopStream(
  exchange: HttpTransport,
  id: string,
  { signal, after, ...since }: WatchOptions & { after: number },
): Promise<AsyncIterable<LiveEvent>> {
  const filling = { id, query: { after, ...since } };
  const messages = await openMessages({ exchange, signal, operation: LIVE.loopEvents, filling });
  return liveEvents(exchange, id, after, messages);
}

async function* liveEvents(
  exchange: HttpTransport,
  id: string,
  after: number,
  messages: AsyncIterable<EventSourceMessage>,
): AsyncGenerator<LiveEvent> {
  let last = { revision: after, index: Number.POSITIVE_INFINITY };
  for await (const { event = "", data } of messages) {
    if (event === "loop.deleted") {
      throw new LoopError("loop_not_found", `Loop ${id} was deleted.`);
    }
    if (event === "resync") {
      const { revision } = exchange.read(Resync, data);
      if (revision !== undefined && revision < last.revision) last = { revision, index: 0 };
    } else if (event !== "activity.gap") {
      const live = exchange.read(LIVE.loopEvents.answer.events, data);
      if (live.kind === "activity") yield { kind: "activity", id, activity: live.activity };
      else {
        const { index, recorded } = live;
        const { revision } = recorded;
        if (revision < last.revision || (revision === last.revision && index <= last.index)) {
          continue;
        }
        last = { revision, index };
        yield { kind: "recorded", id, recorded };
      }
    }
  }
}

const Named = z.looseObject({ id: z.string() });

/** See `LoopService.changes`. After a gap the server tells again what happened in it, and so does this. */
export async function* watchProject(
  exchange: HttpTransport,
  signal: AbortSignal,
): AsyncGenerator<string> {
  for await (const { event, data } of projectMessages(exchange, "recorded", signal)) {
    if (event !== "resync") yield exchange.read(Named, data).id;
  }
}

/** See `LoopService.summaryChanges`; ends where the server does not know any more what was told. */
export async function* watchSummaries(
  exchange: HttpTransport,
  signal: AbortSignal,
): AsyncGenerator<SummaryChange> {
  for await (const { event, data } of projectMessages(exchange, "summary", signal)) {
    if (event === "resync") return;
    if (event === "loop.deleted") yield { id: exchange.read(Named, data).id, summary: null };
    else {
      const told = exchange.read(LIVE.projectEvents.answer.events, data);
      if (told.kind === "summary") yield { id: told.id, summary: told.summary };
    }
  }
}

/** What is told of all loops, until the signal aborts. */
async function* projectMessages(
  exchange: HttpTransport,
  kinds: string,
  signal: AbortSignal,
): AsyncGenerator<EventSourceMessage> {
  if (signal.aborted) return;
  try {
    const operation = LIVE.projectEvents;
    yield* await openMessages({ exchange, signal, operation, filling: { query: { kinds } } });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

interface Opened {
  exchange: HttpTransport;
  operation: Operation;
  /** How it is asked for at first; later behind the last message that came as well, which goes before it. */
  filling: Filling;
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
  const { signal, exchange } = opened;
  let body: ReadableStream<Uint8Array> | null = first;
  let lastId: string | null = null;
  while (body !== null) {
    const silent = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silent.abort(), exchange.reconnect.silence);
    };
    heard();
    try {
      const until = { signal: AbortSignal.any([signal, silent.signal]) };
      const parsed: ReadableStream<EventSourceMessage> = body
        .pipeThrough(new TextDecoderStream(), until)
        .pipeThrough(new EventSourceParserStream());
      for await (const message of parsed) {
        heard();
        if (message.id !== undefined && message.id !== "") lastId = message.id;
        if (message.event !== "ping") yield message;
      }
    } catch {
      // The connection broke off; what the server has to say is said when it is asked again.
    } finally {
      clearTimeout(timer);
    }
    body = signal.aborted ? null : await reconnected(opened, lastId);
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
  { exchange, operation, filling, signal }: Opened,
  lastId: string | null,
): Promise<ReadableStream<Uint8Array>> {
  const headers = lastId === null ? {} : { "last-event-id": lastId };
  const asked = { ...filling, headers, signal };
  return (await exchange.stream(operation, asked, "text/event-stream")).body;
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
    for await (const text of body.pipeThrough(new TextDecoderStream(), signal ? { signal } : {})) {
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
