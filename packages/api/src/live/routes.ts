import type { AppDeps, Handlers } from "../app/serve-operation.ts";
import type { LIVE } from "../contract/live.ts";
import { parsePlace } from "./loop-position.ts";
import { parseProjectPosition } from "./project-stream.ts";

const HEADERS = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-store",
  // Proxies that gather answers would hold messages back.
  "X-Accel-Buffering": "no",
};

export function liveHandlers({
  live,
  service,
}: AppDeps): Handlers<Pick<typeof LIVE, "loopEvents" | "projectEvents">> {
  return {
    async loopEvents({ id, query, request }) {
      const { kinds = ["recorded", "activity"], format, after, seq, since } = query;
      const { signal } = request;
      if (format === "compat" || isHead(request)) await service.get(id);
      if (format === "compat") return answer(request, () => live.compat({ loop: id, signal }));
      const { place, lost } = cameBackWith(request, query, parsePlace);
      const start = place ? { place } : lost ? {} : { after, seq, since };
      return answer(request, () =>
        live.loop(id, { ...start, kinds: new Set(kinds), lost, signal }),
      );
    },
    async projectEvents({ query, request }) {
      const { kinds = ["recorded"], format } = query;
      const { signal } = request;
      if (format === "compat") return answer(request, () => live.compat({ signal }));
      const { place: position, lost } = cameBackWith(request, query, parseProjectPosition);
      return answer(request, () => live.project({ kinds: new Set(kinds), position, lost, signal }));
    },
  };
}

/** HEAD is answered by the same route, and nobody would ever read or cancel its stream. */
async function answer(
  request: Request,
  open: () => Promise<ReadableStream<Uint8Array>>,
): Promise<Response> {
  return new Response(isHead(request) ? null : await open(), { headers: HEADERS });
}

function isHead({ method }: Request): boolean {
  return method === "HEAD";
}

/** Behind what the client got last. A browser repeats it by itself, also when the URL still has an older one. */
function cameBackWith<P>(
  { headers }: Request,
  { last_event_id = "" }: { last_event_id?: string | undefined },
  parse: (id: string) => P | null,
): { place: P | null; lost: boolean } {
  const id = headers.get("last-event-id") ?? last_event_id;
  const place = parse(id);
  return { place, lost: id !== "" && place === null };
}
