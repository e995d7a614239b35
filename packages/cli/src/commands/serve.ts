import { resolve } from "node:path";
import {
  createLog,
  type LogLevel,
  serve as listening,
  type ServeOptions,
  type Server,
  userTokenFile,
} from "@ccw-loop/api/node";
import { LoopError } from "@ccw-loop/core";
import { sanitizeLine } from "@ccw-loop/view";
import type { Answer, StreamedAnswer } from "../answer.ts";
import type { Context } from "../context.ts";
import { markDriving } from "../driven.ts";
import { exitCodeFor, type Interrupts, listen } from "../interrupts.ts";
import { version } from "../own-package.ts";
import { openServedProjects, type ServedRoot } from "../served-projects.ts";
import { type Tls, tlsFrom, tlsWarning } from "../tls-files.ts";
import { listeningLines } from "../views/address-lines.ts";
import { supervisorReport } from "../views/supervisor-report.ts";

export interface ServeFlags {
  port?: number;
  host?: string;
  socket?: string;
  project?: string[];
  public?: true;
  origin?: string[];
  allowHost?: string[];
  tokenFile?: string;
  tlsCert?: string;
  tlsKey?: string;
  /** False for `--no-rate`. */
  rate: boolean;
  concurrency?: number;
  /** False for `--no-drive`. */
  drive: boolean;
  logLevel?: LogLevel;
  events?: true;
}

/**
 * Answers over HTTP and drives the running loops of its projects until a signal comes. Then the streams end, requests
 * under way are answered, and the loops stay running for the next supervisor. The second signal leaves at once.
 */
export async function serve(context: Context, flags: ServeFlags): Promise<Answer | StreamedAnswer> {
  const { io } = context;
  const projects = await openServedProjects(context, flags.project ?? []);
  using interrupts = listen(io, { ignore: "SIGPIPE" });
  let atOnce = false;
  try {
    using _mark = flags.drive ? markDriving(...projects.map(({ root }) => root)) : undefined;
    const server = await open(context, flags, { projects, interrupts });
    const reports = projects.map(({ name, parts }) => {
      const project = projects.length > 1 ? { project: name } : {};
      const isEnding = () => interrupts.first !== undefined;
      const events = flags.events === true;
      return { parts, report: supervisorReport(context, { events, isEnding, ...project }) };
    });
    const { signal } = interrupts;
    const { concurrency = 4 } = flags;
    const driven = reports.map(async ({ parts, report: { onEvent, onNotice } }) => {
      const loops = await parts.loops();
      if (flags.drive) await loops.supervise({ concurrency, signal, onEvent, onNotice });
    });
    const work = Promise.all([...driven, server.closed]).finally(() => server.close());
    const second = await Promise.race([work.then(() => undefined), interrupts.second]);
    atOnce = second !== undefined;
    const ending = second === undefined ? {} : { exit: exitCodeFor(second), atOnce: true as const };
    if (flags.events) return { streamed: true, ...ending };
    const told = reports.map(({ report }) => report.data());
    const data = {
      url: server.url,
      driven: told.flatMap(({ driven: ids }) => ids),
      given_back: told.flatMap(({ given_back: ids }) => ids),
    };
    return { data, text: "", ...ending };
  } finally {
    if (!atOnce) await Promise.all(projects.map(({ parts }) => parts.close()));
  }
}

interface Opening {
  projects: readonly ServedRoot[];
  interrupts: Interrupts;
}

/** Begins to answer, and says where. */
async function open(
  context: Context,
  flags: ServeFlags,
  { projects, interrupts }: Opening,
): Promise<Server> {
  const { origin = [], allowHost = [], logLevel = "warn", drive } = flags;
  const publicly = flags.public === true;
  const services = projects.map(async ({ name, root, parts }) => {
    if (drive) await (await parts.processes()).sweep();
    const drives = () => drive && interrupts.first === undefined;
    return { name, root, service: await parts.loops(), drives };
  });
  const server = await listening({
    ...placeOf(context, flags),
    projects: await Promise.all(services),
    origins: origin,
    hosts: allowHost,
    publicly,
    ...(await tlsOf(context, flags)),
    ...(flags.rate ? {} : { rate: false }),
    version: version(),
    log: createLog(context.io.stderr, logLevel),
    signal: interrupts.signal,
  });
  const told = {
    projects,
    socket: flags.socket === undefined ? undefined : resolve(context.cwd, flags.socket),
    publicly,
    hosts: allowHost,
    ownFile: flags.tokenFile !== undefined,
  };
  const ticket = context.io.stderr.isTTY === true ? await server.ticket() : undefined;
  for (const [tone, line] of listeningLines(server, ticket, told)) {
    context.say(context.paintError(tone, sanitizeLine(context.hint(line))));
  }
  return server;
}

async function tlsOf(context: Context, { tlsCert, tlsKey }: ServeFlags): Promise<{ tls?: Tls }> {
  if (tlsCert === undefined && tlsKey === undefined) return {};
  if (tlsCert !== undefined && tlsKey !== undefined) {
    const tls = await tlsFrom(context.cwd, tlsCert, tlsKey);
    const warning = tlsWarning(tlsCert, tls, new Date());
    if (warning !== null) context.say(context.paintError("warning", sanitizeLine(warning)));
    return { tls };
  }
  throw new LoopError("invalid_input", "TLS needs both: --tls-cert FILE and --tls-key FILE.");
}

function placeOf(
  { cwd, io }: Context,
  { host, port, socket, tokenFile }: ServeFlags,
): Pick<ServeOptions, "listen" | "tokenFile"> {
  const tcp = { ...(host !== undefined && { host }), ...(port !== undefined && { port }) };
  return {
    listen: socket === undefined ? tcp : { socket: resolve(cwd, socket) },
    tokenFile: tokenFile === undefined ? userTokenFile(io.env) : resolve(cwd, tokenFile),
  };
}
