import { realpathSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { homedir } from "node:os";
import { basename, dirname } from "node:path";
import { LoopError, withoutUndefined } from "@ccw-loop/core";
import {
  getRequestListener,
  type Http2Bindings,
  type HttpBindings,
  RequestError,
} from "@hono/node-server";
import { PROBLEM } from "../app/http-error.ts";
import { Metrics } from "../app/metrics.ts";
import type { AppOptions } from "../app/options.ts";
import { parseHost } from "../guard/hosts.ts";
import { Sessions } from "../guard/sessions.ts";
import { ClientTokens } from "./client-tokens.ts";
import {
  boundedServer,
  gracefulShutdown,
  listenAt,
  ownHosts,
  requirePrivate,
} from "./http-server.ts";
import { logRequest, SILENT } from "./log.ts";
import { LIMITS, type ServedProject, type ServeOptions, type Server } from "./options.ts";
import { pageFolder } from "./page-folder.ts";
import { type Fetch, projectsFetch } from "./projects.ts";
import { rawError, sendingStreams } from "./raw-answers.ts";
import { checkedToken, readOrMakeToken, userTokenFile } from "./token-file.ts";
import { acceptWebSockets } from "./web-socket.ts";

/**
 * Serves the loops of one or several projects on Node until it is closed or `signal` aborts. Throws `invalid_input`
 * for a place where it cannot or must not listen, and what `readToken` throws.
 */
export async function serve(options: ServeOptions): Promise<Server> {
  const { listen = {}, tls, log = SILENT, projects } = options;
  const limits = { ...LIMITS, ...options.limits };
  const place = "socket" in listen ? listen : { host: "127.0.0.1", port: 3456, ...listen };
  if ("host" in place && !tls && options.publicly !== true) await requirePrivate(place.host);
  const { token, tokenFile } = await tokenOf(options);

  const streams = new AbortController();
  const sessions = new Sessions(token);
  const clients = new ClientTokens(tokenFile ?? userTokenFile(process.env));
  const page = options.page && pageFolder(options.page);
  const metrics = new Map(projects.map(({ name }) => [name, new Metrics()]));
  const optionsOf = (project: ServedProject): AppOptions => ({
    access: { token, sessions, clients: (given) => clients.find(given) },
    project: project.name,
    hosts: [...(options.hosts ?? []), ...("host" in place ? ownHosts(place.host) : [])],
    origins: options.origins ?? [],
    signal: streams.signal,
    onRequest(record) {
      logRequest(log, project.name, record);
      options.onRequest?.(record);
    },
    redact: pathRedactor(project.root),
    ...withoutUndefined({
      version: options.version,
      rate: options.rate,
      allowBashTasks: options.allowBashTasks,
      drives: project.drives,
      about: project.about,
      doctor: project.doctor,
      figures: project.figures,
      metrics: metrics.get(project.name),
      page,
    }),
  });
  const fetch = projectsFetch(projects, optionsOf);
  const send = async (request: Request, env: HttpBindings | Http2Bindings) =>
    sendingStreams(await fetch(request, env), env as HttpBindings);
  const listener = getRequestListener(send, { errorHandler: answerUnreadable });
  const server = boundedServer(
    (request: IncomingMessage, answer: ServerResponse) => {
      normalizeHost(request);
      void listener(request, answer);
    },
    limits,
    tls,
  );
  const sockets = acceptWebSockets(server, fetch, limits);
  const url = await listenAt(server, place, tls ? "https" : "http");
  // What goes wrong before is thrown.
  server.on("error", (error) => log.error({ err: error }, "server"));
  log.info({ url }, "listening");

  const endStreams = () => {
    streams.abort();
    sockets.end();
  };
  const { close, closed } = gracefulShutdown(server, {
    endStreams,
    cut: sockets.cut,
    graceMs: limits.shutdownMs,
  });
  options.signal?.addEventListener("abort", () => void close(), { once: true });
  if (options.signal?.aborted) void close();
  void closed.then(() => log.info("closed"));

  return {
    url,
    tokenFile,
    ticket: () => codeFrom({ fetch, url, token }, "ticket"),
    login: () => codeFrom({ fetch, url, token }, "login"),
    metrics: () =>
      Promise.all(
        [...metrics].map(async ([project, own]) => ({ project, metrics: await own.read() })),
      ),
    close,
    closed,
  };
}

async function tokenOf({ token, tokenFile, log = SILENT }: ServeOptions) {
  if (token !== undefined) return { token: checkedToken(token), tokenFile: undefined };
  const path = tokenFile ?? userTokenFile(process.env);
  return { token: await readOrMakeToken(path, (warning) => log.warn(warning)), tokenFile: path };
}

/** The adapter takes no address that could be written shorter (`[::ffff:127.0.0.1]`); the guard judges both alike. */
function normalizeHost({ headers }: IncomingMessage): void {
  const host = parseHost(headers.host ?? "");
  if (host) headers.host = host.port === undefined ? host.name : `${host.name}:${host.port}`;
}

/** What the adapter could not even read: no app sees it. */
function answerUnreadable(error: unknown): Response {
  const { status, body } =
    error instanceof RequestError
      ? /host/i.test(error.message)
        ? rawError(403, "The request names no host of this server.")
        : rawError(400, "The host or the path of the request cannot be read.")
      : rawError(500, "Internal error.");
  const headers = {
    "content-type": PROBLEM,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  };
  return new Response(body, { status, headers });
}

interface Asked {
  fetch: Fetch;
  url: string;
  token: string;
}

async function codeFrom({ fetch, url, token }: Asked, what: "ticket" | "login"): Promise<string> {
  const request = new Request(new URL(`/api/${what}s`, "http://localhost"), {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
  });
  const answer = await fetch(request, {});
  const { data } = (await answer.json()) as { data?: { ticket?: string; login?: string } };
  const code = data?.[what];
  if (code !== undefined) return code;
  throw new LoopError("internal", `The server at ${url} gave no ${what}.`);
}

/**
 * Cuts out of a text where on this machine a project and its user's home lie. What is left (`…/shop/.workflow`, also of
 * the worktrees beside it) tells a person who knows the machine where to look.
 */
export function pathRedactor(root: string | undefined): (text: string) => string {
  const home = homedir();
  const known = [
    ...(root === undefined
      ? []
      : [root, realPath(root)].map((path) => [path, `…/${basename(root)}`])),
    ...[home, realPath(home)].map((path) => [path, "~"]),
  ].filter(([path = "/"]) => dirname(path) !== path);
  return (text) =>
    known.reduce((cut, [path = "", shown = ""]) => cut.replaceAll(path, shown), text);
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
