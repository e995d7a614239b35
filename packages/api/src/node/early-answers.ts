import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

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
