import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { lstat, mkdir, unlink } from "node:fs/promises";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, isIP } from "node:net";
import { dirname } from "node:path";
import { isMissing, systemCode } from "@ccw-loop/core";
import { badOption } from "../app/options.ts";
import { ipBytesOf, isLoopback, isWildcard, parseHost } from "../guard/hosts.ts";
import type { Limits, ServeOptions } from "./options.ts";
import { answerMalformed, closeAfterEarlyAnswers } from "./raw-answers.ts";
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

/** A port of a host, or a socket file that only its owner may use from the moment it is there. */
type Place = { host: string; port: number } | { socket: string };

/** Begins to listen; answers with the URL, whose port may have been chosen now. */
export async function listenAt(
  server: Server,
  place: Place,
  scheme: "http" | "https",
): Promise<string> {
  if ("socket" in place) await removeStaleSocket(place.socket);
  await startListening(server, place).catch((error) => {
    const code = systemCode(error);
    const why = WHY[code] ?? `cannot be used: ${String(error)}`;
    const [what, option] =
      "socket" in place
        ? [`The socket ${place.socket}`, "--socket PATH"]
        : [`Port ${place.port} of ${place.host}`, "--port N"];
    const other = OF_HOST.has(code) ? "--host ADDRESS" : option;
    throw badOption(`${what} ${why}. Choose another one with ${other}.`, error);
  });
  if ("socket" in place) return "http://localhost";
  const { port } = server.address() as AddressInfo;
  return `${scheme}://${reachedAt(place.host)}:${port}`;
}

async function startListening(server: Server, place: Place): Promise<void> {
  const listening = once(server, "listening");
  if ("host" in place) server.listen(place);
  else {
    const before = process.umask(0o177);
    try {
      server.listen(place.socket);
    } finally {
      process.umask(before);
    }
  }
  await listening;
}

const WHY: Readonly<Record<string, string>> = {
  EADDRINUSE: "is taken by another process",
  EACCES: "is not for this user",
  EADDRNOTAVAIL: "is no address of this machine",
  ENOTFOUND: "has no address",
};
/** No other port would help. */
const OF_HOST: ReadonlySet<string> = new Set(["EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN"]);

/**
 * Shuts a server down in good order, once: streams end, requests finish within the grace, then everything is cut, by
 * `cut` what is no request any more.
 */
export function gracefulShutdown(
  server: Server,
  { endStreams, cut, graceMs }: { endStreams(): void; cut(): void; graceMs: number },
) {
  let ending = false;
  const answers = new Set<ServerResponse>();
  const letGo = (answer: ServerResponse) => {
    if (!answer.headersSent) answer.setHeader("connection", "close");
  };
  server.on("request", (_: IncomingMessage, answer: ServerResponse) => {
    if (ending) letGo(answer);
    answers.add(answer);
    answer.once("close", () => {
      answers.delete(answer);
      if (ending) setImmediate(() => server.closeIdleConnections());
    });
  });
  const closed = new Promise<void>((resolve) => server.once("close", resolve));
  const close = () => {
    if (ending) return closed;
    ending = true;
    server.close();
    for (const answer of answers) letGo(answer);
    endStreams();
    const late = setTimeout(() => {
      server.closeAllConnections();
      cut();
    }, graceMs);
    return closed.finally(() => clearTimeout(late));
  };
  return { close, closed };
}

function inUrl(host: string): string {
  return isIP(host) === 6 ? (parseHost(`[${host}]`)?.name ?? `[${host}]`) : host;
}

/** How this machine reaches a server that listens there; the wildcards are no address to ask for. */
function reachedAt(host: string): string {
  const name = inUrl(host);
  if (!isWildcard(name)) return name;
  return ipBytesOf(name)?.length === 4 ? "127.0.0.1" : "[::1]";
}

/** An address that was chosen to listen at is a host to be asked for; no name server leads it elsewhere. */
export function ownHosts(host: string): string[] {
  const name = inUrl(host);
  return isIP(host) === 0 || isWildcard(name) ? [] : [name];
}

/** Refuses to speak in the clear where others can listen. Throws `invalid_input`. */
export async function requirePrivate(host: string): Promise<void> {
  const found = await lookup(host, { all: true }).catch((error: unknown) => {
    throw badOption(
      `There is no address for the host ${host}. Choose another one with --host ADDRESS.`,
      error,
    );
  });
  if (found.every(({ address }) => isLoopback(parseHost(inUrl(address))?.name ?? ""))) return;
  throw badOption(
    `${host} can be reached from other machines, and everything sent there, the token too, could be read on its way. ` +
      "Listen on 127.0.0.1 behind a reverse proxy that speaks TLS, give a certificate (--tls-cert, --tls-key; in a program " +
      "`tls`), or say --public (`publicly`) when the network itself is trusted.",
  );
}

/** The shortest bound of the systems we know, with the zero at its end. */
const LONGEST = 103;

/**
 * Makes room for a socket at `path`: one that nobody answers at is what a killed server left, and goes away. Throws
 * `invalid_input` when somebody answers, or something else is there.
 */
async function removeStaleSocket(path: string): Promise<void> {
  if (Buffer.byteLength(path) > LONGEST) {
    throw badOption(
      `${path} is too long for a socket: ${LONGEST} bytes at most. Choose another path with --socket.`,
    );
  }
  await mkdir(dirname(path), { mode: 0o700 }).catch((error) => {
    if (systemCode(error) === "EEXIST") return;
    throw badOption(
      `${dirname(path)} is not there and cannot be made. Choose another path with --socket.`,
      error,
    );
  });
  const info = await lstat(path).catch((error) => {
    if (isMissing(error)) return;
    throw badOption(`${path} cannot be used: ${String(error)}`, error);
  });
  if (info === undefined) return;
  if (!info.isSocket()) {
    throw badOption(`${path} is there already and is no socket.`);
  }
  if (await answers(path)) {
    throw badOption(
      `Another server listens at ${path}. End it first, or choose another path with --socket.`,
    );
  }
  await unlink(path);
}

async function answers(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, "connect");
    return true;
  } catch (error) {
    // Anything else, such as a queue that is full, is a server that lives.
    return systemCode(error) !== "ECONNREFUSED";
  } finally {
    socket.destroy();
  }
}
