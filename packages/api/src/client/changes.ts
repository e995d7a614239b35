import { z } from "zod";
import type { HttpTransport } from "./exchange.ts";
import { openMessages } from "./messages.ts";
import type { Reconnect } from "./options.ts";

const Named = z.looseObject({ id: z.string() });

/** See `LoopService.changes`. After a gap the server tells again what happened in it, and so does this. */
export async function* watchProject(
  exchange: HttpTransport,
  reconnect: Reconnect,
  signal: AbortSignal,
): AsyncGenerator<string> {
  if (signal.aborted) return;
  try {
    const messages = await openMessages({
      exchange,
      reconnect,
      signal,
      resume: (lastId) => ({
        path: "/api/events",
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
