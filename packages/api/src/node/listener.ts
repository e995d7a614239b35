import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { LoopError } from "@ccw-loop/core";
import { reachedAt } from "./addresses.ts";
import { closeAfterEarlyAnswers } from "./early-answers.ts";
import { codeOf } from "./errors.ts";
import { answerMalformed } from "./malformed.ts";
import type { Limits, ServeOptions } from "./options.ts";
import { removeStaleSocket } from "./unix-socket.ts";
import { isWebSocketUpgrade } from "./web-socket.ts";

/** A server within its limits, which does not listen yet. */
export function boundedServer(
  listener: RequestListener,
  limits: Limits,
  tls: ServeOptions["tls"],
): Server {
  const { headersMs, requestMs, idleMs } = limits;
  const options = {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: Math.max(50, Math.min(headersMs, requestMs, 4_000) / 4),
    maxHeaderSize: limits.headerBytes,
    // The app answers for itself what has no Host.
    requireHostHeader: false,
    shouldUpgradeCallback: isWebSocketUpgrade,
  };
  const server = tls
    ? createTlsServer({ ...options, ...tls, handshakeTimeout: headersMs })
    : createServer(options);
  closeAfterEarlyAnswers(server);
  server.on("request", listener);
  // Whatever a client expects, it gets its answer: Node's own would be a 417 without a word.
  server.on("checkExpectation", (request, answer) => server.emit("request", request, answer));
  server.maxConnections = limits.connections;
  answerMalformed(server);
  return server;
}

/** Begins to listen; answers with the URL, whose port may have been chosen now. */
export async function listenAt(
  server: Server,
  { host, port }: { host: string; port: number },
  scheme: "http" | "https",
): Promise<string> {
  await startListening(
    server,
    () => server.listen({ host, port }),
    `Port ${port} of ${host}`,
    "--port N",
  );
  const { port: actual } = server.address() as AddressInfo;
  return `${scheme}://${reachedAt(host)}:${actual}`;
}

/** A socket file that only its owner may use from the moment it is there. */
export async function listenAtSocket(server: Server, path: string): Promise<string> {
  await removeStaleSocket(path);
  const listen = () => {
    const before = process.umask(0o177);
    try {
      server.listen(path);
    } finally {
      process.umask(before);
    }
  };
  await startListening(server, listen, `The socket ${path}`, "--socket PATH");
  return "http://localhost";
}

async function startListening(server: Server, listen: () => void, what: string, option: string) {
  try {
    const listening = once(server, "listening");
    listen();
    await listening;
  } catch (error) {
    const code = codeOf(error) ?? "";
    const why = WHY[code] ?? `cannot be used: ${String(error)}`;
    const other = OF_HOST.has(code) ? "--host ADDRESS" : option;
    throw new LoopError("invalid_input", `${what} ${why}. Choose another one with ${other}.`, {
      cause: error,
    });
  }
}

const WHY: Readonly<Record<string, string>> = {
  EADDRINUSE: "is taken by another program",
  EACCES: "is not for this user",
  EADDRNOTAVAIL: "is no address of this machine",
  ENOTFOUND: "has no address",
};
/** No other port would help. */
const OF_HOST: ReadonlySet<string> = new Set(["EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN"]);
