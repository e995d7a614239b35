import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { WebSocket, WebSocketServer } from "ws";
import type { Limits } from "./options.ts";
import type { Fetch } from "./projects.ts";
import { endWith, rawError } from "./raw-answers.ts";

/** What clients say is not read; no more than this of it is taken. */
const INBOUND_BYTES = 4_096;

/**
 * `/ws` is the compat event stream in other clothes: the handshake is asked of the app as a request for that stream,
 * with the same headers, so the same guard answers it, and its frames are passed on.
 */
export function acceptWebSockets(server: Server, fetch: Fetch, limits: Limits) {
  const wss = new WebSocketServer({
    noServer: true,
    maxPayload: INBOUND_BYTES,
    perMessageDeflate: false,
    clientTracking: true,
  });
  wss.on("wsClientError", ({ message }, socket) => {
    endWith(socket, rawError(400, `${message}.`));
  });
  const upgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const leave = new AbortController();
    socket.once("close", () => leave.abort());
    const stream = streamRequest(request, leave.signal);
    if (stream === undefined) {
      return endWith(socket, rawError(403, "The request names no host of this server."));
    }
    const answer = await fetch(stream, { incoming: request });
    if (answer.status !== 200 || answer.body === null) {
      const { status, headers } = answer;
      return endWith(socket, {
        status,
        headers: Object.fromEntries(headers),
        body: await answer.text(),
      });
    }
    if (wss.clients.size >= limits.webSockets) {
      leave.abort();
      await answer.body.cancel();
      return endWith(socket, rawError(429, "Too many clients listen already."));
    }
    const { body } = answer;
    wss.handleUpgrade(request, socket, head, (client) => {
      client.on("error", () => client.terminate());
      void forwardFrames(body, client).finally(() => leave.abort());
    });
  };
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    upgrade(request, socket, head).catch(() => socket.destroy());
  });
  return {
    end() {
      for (const client of wss.clients) client.close(1001, "The server shuts down.");
    },
    cut() {
      for (const client of wss.clients) client.terminate();
    },
  };
}

const DOOR = /^(\/projects\/[^/?]+)?\/ws(?:\?(.*))?$/;

/** Whether a request asks for a WebSocket where there is one. Elsewhere it is a request like any other. */
export function isWebSocketUpgrade({ url = "", headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === "websocket" && DOOR.test(url);
}

function streamRequest(request: IncomingMessage, signal: AbortSignal): Request | undefined {
  const [, project = "", query = ""] = DOOR.exec(request.url ?? "") ?? [];
  const path = `${project}/api/events?format=compat&${query}`;
  const url = URL.parse(`http://${request.headers.host}${path}`);
  if (url === null) return undefined;
  const single = Object.entries(request.headers).filter(([, value]) => typeof value === "string");
  return new Request(url, { headers: single as [string, string][], signal });
}

/** Frame by frame, the next one when the last has left: who is slow is dropped by the stream, like every client of it. */
async function forwardFrames(body: ReadableStream<Uint8Array>, client: WebSocket): Promise<void> {
  let answered = true;
  client.on("pong", () => {
    answered = true;
  });
  const events = body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  try {
    for await (const { event, data } of events) {
      if (client.readyState !== WebSocket.OPEN) break;
      if (event === "ping") {
        if (!answered) return client.terminate();
        answered = false;
        client.ping();
      } else {
        await new Promise<void>((resolve) => client.send(data, () => resolve()));
      }
    }
    client.close(1001, "The stream ended.");
  } catch {
    client.terminate();
  }
}
