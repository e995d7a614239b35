import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { type Duplex, pipeline, Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { systemCode } from "@ccw-loop/core";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { HTTP_CODES, type HttpErrorStatus, PROBLEM, refusal } from "../app/http-error.ts";

/** An answer outside of any app: what is no HTTP has no handler. */
export interface RawAnswer {
  status: number;
  headers?: Readonly<Record<string, string>>;
  body: string;
}

export function rawError(status: HttpErrorStatus, error: string): RawAnswer {
  return { status, body: JSON.stringify(refusal(status, HTTP_CODES[status], error)) };
}

export function endWith(socket: Duplex, { status, headers, body }: RawAnswer): void {
  if (!socket.writable) return void socket.destroy();
  const lines = Object.entries({
    "content-type": PROBLEM,
    "content-length": `${Buffer.byteLength(body)}`,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...headers,
    connection: "close",
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Refused"}\r\n${lines.join("")}\r\n${body}`,
  );
  socket.once("finish", () => socket.destroy());
}

/** Answers what the parser refuses, unless an answer is under way on the same connection. */
export function answerMalformed(server: Server): void {
  const current = new WeakMap<Duplex, ServerResponse>();
  server.on("request", ({ socket }: IncomingMessage, answer: ServerResponse) => {
    current.set(socket, answer);
  });
  server.on("clientError", (error: Error, socket: Duplex) => {
    const answer = current.get(socket);
    if (answer?.headersSent && !answer.writableFinished) return void socket.destroy();
    endWith(socket, parserErrorAnswer(systemCode(error)));
  });
}

function parserErrorAnswer(code: string): RawAnswer {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return rawError(408, "The request did not arrive in time.");
    case "HPE_HEADER_OVERFLOW":
      return rawError(431, "The headers are too large.");
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return rawError(413, "The chunk extensions are too large.");
    default:
      return rawError(400, "This is no request of HTTP/1.1.");
  }
}

/** For how long a client that is still sending may read the answer before its connection is cut. */
const LINGER_MS = 500;

/**
 * An answer that goes out before its request has come in whole (413, 401 to a large body) is the last one of its
 * connection: what comes behind it is not read, so nobody may take the connection for one that can be used again.
 */
export function closeAfterEarlyAnswers(server: Server): void {
  server.on("request", (request: IncomingMessage, answer: ServerResponse) => {
    if (!hasBody(request)) return;
    const writeHead = answer.writeHead.bind(answer) as (...head: unknown[]) => ServerResponse;
    answer.writeHead = (...head: unknown[]) => {
      if (!request.complete) {
        answer.setHeader("connection", "close");
        linger(request.socket);
      }
      return writeHead(...head);
    };
  });
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
}

/** Cut at once while the client sends, the connection would take the answer with it. */
function linger(socket: Socket): void {
  socket.destroySoon = () => {
    socket.end();
    const late = setTimeout(() => socket.destroy(), LINGER_MS);
    late.unref();
    socket.once("close", () => clearTimeout(late));
  };
}

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
  if (outgoing.destroyed) {
    // Its client went while the answer was made: nothing is written, and whoever feeds the stream hears of it.
    void answer.body.cancel().catch(() => undefined);
  } else {
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
    outgoing.flushHeaders();
    const body = Readable.fromWeb(answer.body as NodeReadableStream<Uint8Array>);
    pipeline(body, outgoing, () => undefined);
  }
  // The adapter may have replaced `Response` before this one was made; a clone is always a native one, which it asks.
  return RESPONSE_ALREADY_SENT.clone();
}
