import { LoopError, parseLoopId } from "@ccw-loop/core";
import { type Context, Hono } from "hono";
import type { AppDeps } from "../app/serve-operation.ts";
import { loopEvents, projectEvents } from "../contract/live.ts";
import { unknownName } from "../contract/operation.ts";
import type { Kind, Kinds } from "./channel.ts";
import { compatFrames } from "./compat.ts";
import { parsePlace } from "./loop-position.ts";
import { EVENT_STREAM, plainMessage } from "./messages.ts";
import { parseProjectPosition } from "./project-stream.ts";

const HEADERS = {
  "Content-Type": EVENT_STREAM,
  "Cache-Control": "no-store",
  // Proxies that gather answers would hold messages back.
  "X-Accel-Buffering": "no",
};

/** Server-sent events: of one loop, and of all. */
export function liveRoutes({ live, service }: Pick<AppDeps, "live" | "service">): Hono {
  const app = new Hono();

  app.get("/api/loops/v2/:id/events", async (c) => {
    const id = parseLoopId(c.req.param("id"));
    requireKnown(c, loopEvents);
    const kinds = kindsOf(c, ["recorded", "activity"]);
    const after = revisionOf(c);
    const { signal } = c.req.raw;
    if (isCompat(c)) {
      await service.get(id);
      return answer(c, () => compatStream(c, id));
    }
    const came = cameBackWith(c);
    const place = came === undefined ? null : parsePlace(came);
    const lost = came !== undefined && place === null;
    const start = place ? { place } : lost ? {} : { after };
    if (isHead(c)) await service.get(id);
    return answer(c, () => live.loop(id, { ...start, kinds, lost, signal }));
  });

  app.get("/api/events", async (c) => {
    requireKnown(c, projectEvents);
    const kinds = kindsOf(c, ["recorded"]);
    if (isCompat(c)) return answer(c, () => compatStream(c));
    const came = cameBackWith(c);
    const position = came === undefined ? null : parseProjectPosition(came);
    const lost = came !== undefined && position === null;
    return answer(c, () => live.project({ kinds, position, lost, signal: c.req.raw.signal }));
  });

  async function compatStream(c: Context, loop?: string): Promise<ReadableStream<Uint8Array>> {
    const over = new AbortController();
    const frames = await compatFrames(live, { signal: over.signal, loop });
    return live.stream(messagesOf(frames), c.req.raw.signal, () => over.abort());
  }

  return app;
}

async function* messagesOf(frames: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const frame of frames) yield plainMessage(frame);
}

/** HEAD is answered by the same route, and nobody would ever read or cancel its stream. */
async function answer(
  c: Context,
  open: () => Promise<ReadableStream<Uint8Array>>,
): Promise<Response> {
  return new Response(isHead(c) ? null : await open(), { headers: HEADERS });
}

function isHead(c: Context): boolean {
  return c.req.raw.method === "HEAD";
}

/** What the client got last. A browser repeats it by itself, also when the URL still has an older one. */
function cameBackWith(c: Context): string | undefined {
  const id = c.req.header("last-event-id") ?? c.req.query("last_event_id");
  return id === "" ? undefined : id;
}

function isCompat(c: Context): boolean {
  const format = c.req.query("format");
  if (format === undefined || format === "compat") return format === "compat";
  throw refused("format", format, "leave it out, or use compat");
}

function requireKnown(c: Context, { query }: typeof projectEvents | typeof loopEvents): void {
  const known = Object.keys(query?.shape ?? {});
  const strange = Object.keys(c.req.query()).find((name) => !known.includes(name));
  if (strange !== undefined) throw new LoopError("invalid_input", unknownName(strange, known));
}

function kindsOf(c: Context, normally: readonly Kind[]): Kinds {
  const text = c.req.query("kinds");
  if (text === undefined) return new Set(normally);
  const kinds = text.split(",").map((name): Kind => {
    if (name === "recorded" || name === "activity") return name;
    throw refused("kinds", text, "use recorded, activity, or both with a comma between them");
  });
  return new Set(kinds);
}

function revisionOf(c: Context): number | undefined {
  const text = c.req.query("after");
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw refused("after", text, "use the number of a revision");
}

function refused(name: string, text: string, next: string): LoopError {
  const shown = JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
  return new LoopError("invalid_input", `${name} cannot be ${shown}: ${next}.`);
}
