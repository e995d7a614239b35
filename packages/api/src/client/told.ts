import { type LiveEvent, LoopError, LoopStatus, RecordedEvent, Waiting } from "@ccw-loop/core";
import type { EventSourceMessage } from "eventsource-parser/stream";
import { z } from "zod";
import { LoggedActivity } from "./activity.ts";
import type { HttpTransport } from "./exchange.ts";
import { openMessages } from "./messages.ts";
import type { Reconnect } from "./options.ts";
import { loopPath } from "./paths.ts";

const Fact = z.looseObject({
  recorded: RecordedEvent,
  /** Its number within its commit. */
  index: z.int().min(0),
  /** How the loop stands behind it; absent in the past, which newer facts have overtaken. */
  state: z.looseObject({ status: LoopStatus, waiting: Waiting.nullable() }).optional(),
});
const Told = z.looseObject({ activity: LoggedActivity });
const Resync = z.looseObject({ revision: z.int().optional() });

/** What a stream tells of a loop, and where in the journal that is. */
export interface StreamEvent {
  live: LiveEvent;
  fact?: { revision: number; index: number; state: z.output<typeof Fact>["state"] };
}

export interface StreamOptions {
  exchange: HttpTransport;
  reconnect: Reconnect;
  id: string;
  /** The revision behind which it begins. */
  after: number;
  /** Activity from this time on; from now on unless given. */
  since?: string | undefined;
  signal: AbortSignal;
}

/** Listens to a loop; rejects when that cannot be. Every fact comes once, over any number of connections. */
export async function openLoopStream(options: StreamOptions): Promise<AsyncIterable<StreamEvent>> {
  const { exchange, reconnect, id, after, since, signal } = options;
  // A place in the stream as the server writes it: behind a whole commit, before all activity of a millisecond.
  const begin = since === undefined ? null : `${after}~${Date.parse(since)}.0`;
  const messages = await openMessages({
    exchange,
    reconnect,
    signal,
    resume: (lastId) => {
      const from = lastId ?? begin;
      return {
        path: loopPath(id, "/events"),
        ...(from === null ? { query: { after } } : { headers: { "last-event-id": from } }),
      };
    },
  });
  return streamEvents(messages, options);
}

async function* streamEvents(
  messages: AsyncIterable<EventSourceMessage>,
  { exchange, id, after }: StreamOptions,
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
