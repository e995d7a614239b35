import { connect } from "node:net";
import { onTestFinished } from "vitest";
import { createLog } from "../../src/node/log.ts";
import type { ServeOptions, Server } from "../../src/node/options.ts";
import { serve } from "../../src/node/serve.ts";
import { bench, type Setup } from "../support.ts";

export const TOKEN = "door-".repeat(8);
export const BEARER = { authorization: `Bearer ${TOKEN}` };

export interface Door {
  server: Server;
  url: string;
  port: number;
  /** The project's folder. */
  cwd: string;
  log(): string;
  ask(path: string, init?: RequestInit): Promise<Response>;
}

/** A real server on a free port of this machine, over a service of its own; closed with the test. */
export async function served(options: Partial<ServeOptions> = {}, setup?: Setup): Promise<Door> {
  let text = "";
  const log = createLog({ write: (line) => (text += line) }, "debug");
  const { service, cwd } = bench(setup);
  const projects = options.projects ?? [{ name: "shop", root: cwd, service }];
  const server = await serve({
    listen: { port: 0 },
    ...(options.tokenFile === undefined && { token: TOKEN }),
    log,
    limits: { shutdownMs: 500 },
    ...options,
    projects,
  });
  onTestFinished(() => server.close());
  const { url } = server;
  return {
    server,
    url,
    port: Number(new URL(url).port),
    cwd,
    log: () => text,
    ask: (path, init = {}) =>
      fetch(url + path, { ...init, headers: { ...BEARER, ...init.headers } }),
  };
}

/** The headers of a client that asks for a WebSocket. */
export const HANDSHAKE = {
  connection: "upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
};

export async function ticketOf({ ask }: Pick<Door, "ask">): Promise<string> {
  const answer = await ask("/api/tickets", { method: "POST" });
  const { data } = (await answer.json()) as { data: { ticket: string } };
  return data.ticket;
}

/** Bytes to a port, and every byte that comes back until the server closes, or `until` is among them. */
export function raw(
  port: number,
  parts: string | readonly string[],
  until?: string,
  host = "127.0.0.1",
): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect(port, host);
  let text = "";
  socket.setEncoding("utf8");
  socket.on("data", (data) => {
    text += data;
    if (until !== undefined && text.includes(until)) socket.destroy();
  });
  // A server that has refused may reset what is still on its way to it.
  socket.on("error", () => undefined);
  socket.on("close", () => resolve(text));
  for (const part of [parts].flat()) socket.write(part);
  onTestFinished(() => void socket.destroy());
  return promise;
}

export function statuses(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

/** A request of HTTP/1.1 with the token, as it is on the wire. */
export function wire(line: string, headers: Record<string, string> = {}, body = ""): string {
  const all: Record<string, string> = { host: "127.0.0.1", ...BEARER, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}
