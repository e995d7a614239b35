import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { AnswerCode } from "../app/answers.ts";
import { codeOf } from "./errors.ts";

/** An answer outside of any app: what is no HTTP has no handler. */
export interface RawAnswer {
  status: number;
  headers?: Readonly<Record<string, string>>;
  body: string;
}

export function rawError(status: number, code: AnswerCode, error: string): RawAnswer {
  return { status, body: JSON.stringify({ success: false, error, code }) };
}

const REASONS: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  408: "Request Timeout",
  413: "Content Too Large",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
};

/** Writes it, and ends the connection. */
export function endWith(socket: Duplex, { status, headers, body }: RawAnswer): void {
  if (!socket.writable) return void socket.destroy();
  const lines = Object.entries({
    "content-type": "application/json",
    "content-length": `${Buffer.byteLength(body)}`,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...headers,
    connection: "close",
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${REASONS[status] ?? "Refused"}\r\n${lines.join("")}\r\n${body}`);
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
    endWith(socket, parserErrorAnswer(codeOf(error)));
  });
}

function parserErrorAnswer(code: string | undefined): RawAnswer {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return rawError(408, "request_timeout", "The request did not arrive in time.");
    case "HPE_HEADER_OVERFLOW":
      return rawError(431, "too_large", "The headers are too large.");
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return rawError(413, "too_large", "The chunk extensions are too large.");
    default:
      return rawError(400, "invalid_input", "This is no request of HTTP/1.1.");
  }
}
