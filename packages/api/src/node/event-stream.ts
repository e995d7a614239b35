import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";

/**
 * Sends the answers that last. A stream that is cut because its client does not read ends the connection, without the
 * words on stderr that the adapter has for it.
 */
export function sendingStreams(
  answer: Response,
  { outgoing }: { outgoing?: ServerResponse },
): Response {
  const isStream = answer.headers.get("content-type")?.startsWith("text/event-stream");
  if (!isStream || answer.body === null || outgoing === undefined) return answer;
  outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
  outgoing.flushHeaders();
  const reader = answer.body.getReader();
  reader.closed.catch(() => outgoing.destroy());
  outgoing.once("close", () => void reader.cancel().catch(() => undefined));
  void pump(reader, outgoing).catch(() => outgoing.destroy());
  // The adapter may have replaced `Response` before this one was made; a clone is always a native one, which it asks.
  return RESPONSE_ALREADY_SENT.clone();
}

async function pump(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  outgoing: ServerResponse,
): Promise<void> {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (!outgoing.write(value)) await once(outgoing, "drain");
  }
  outgoing.end();
}
