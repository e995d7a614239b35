import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import {
  createLog,
  type LogLevel,
  serve as listening,
  type ServeOptions,
  type Server,
  userTokenFile,
} from "@ccw-loop/api/node";
import { LoopError, shellWord, withoutUndefined } from "@ccw-loop/core";
import { sanitizeLine, type Tone } from "@ccw-loop/view";
import { placeOfLoops } from "../extensions/store-choice.ts";
import { supervisorReport } from "../output/supervisor-report.ts";
import { version } from "../own-package.ts";
import { isCollected } from "../runtime/compose.ts";
import { type Context, requireModules } from "../runtime/context.ts";
import { type Interrupts, listen } from "../runtime/interrupts.ts";
import { markDriving } from "../runtime/operator-origin.ts";
import type { Answer } from "../runtime/perform.ts";
import { openServedProjects, projectInfo, type ServedRoot } from "../runtime/served-projects.ts";
import { type Tls, tlsFrom, tlsWarning } from "../runtime/tls-files.ts";
import { findAgent } from "./agent-findings.ts";

export interface ServeFlags {
  agent?: string[];
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
  allowBashTasks?: true;
  events?: true;
}

/**
 * Answers over HTTP and drives the running loops of its projects until a signal comes. Then the streams end, requests
 * under way are answered, and the loops stay running for the next supervisor. The second signal leaves at once.
 */
export async function serve(context: Context, flags: ServeFlags): Promise<Answer> {
  const { io } = context;
  const projects = await openServedProjects(context, flags.project ?? []);
  await requireModules(context, flags.agent);
  using interrupts = listen(io, { ignore: "SIGPIPE" });
  let atOnce = false;
  try {
    using _mark = flags.drive ? markDriving(...projects.map(({ root }) => root)) : undefined;
    const server = await open(context, flags, { projects, interrupts });
    const metrics = await metricsOf(context, server);
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
    const work = Promise.all([...driven, server.closed])
      .finally(() => server.close())
      .finally(() => metrics?.close());
    const ending = await interrupts.untilSecond(work);
    atOnce = ending.exitNow === true;
    if (flags.events) return ending;
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

/** Begins to answer, and says where. */
async function open(
  context: Context,
  flags: ServeFlags,
  { projects, interrupts }: { projects: readonly ServedRoot[]; interrupts: Interrupts },
): Promise<Server> {
  const { origin = [], allowHost = [], logLevel = "warn", drive } = flags;
  const services = projects.map(async ({ name, root, parts }) => {
    if (drive) await (await parts.processes()).sweep();
    const drives = () => drive && interrupts.first === undefined;
    let isAsked = false;
    let agent: string | null = null;
    const look = async () => {
      agent = await findAgent({ ...context, root, parts }).catch(() => "");
    };
    const about = () => {
      // Looked for at the first form, and by it alone: nobody waits for that.
      if (!isAsked) void look();
      isAsked = true;
      return projectInfo(name, { root, parts }, () => agent);
    };
    const doctor = async () => {
      const { runChecks } = await import("./doctor.ts");
      return (await runChecks({ ...context, root, parts }, {})).findings;
    };
    const { figures } = await parts.store();
    return {
      ...{ name, root, service: await parts.loops(), drives, about, doctor },
      ...withoutUndefined({ figures }),
    };
  });
  const tracing = await projects[0]?.parts.telemetry();
  const { pageFolder: page } = await import("@ccw-loop/web");
  const server = await listening({
    ...placeOf(context, flags),
    page,
    projects: await Promise.all(services),
    origins: origin,
    hosts: allowHost,
    publicly: flags.public === true,
    ...(await tlsOf(context, flags)),
    ...(flags.rate ? {} : { rate: false }),
    allowBashTasks: flags.allowBashTasks === true || (await context.parts.modules()).allowBashTasks,
    version: version(),
    log: createLog(context.io.stderr, logLevel),
    ...(tracing ? { onRequest: tracing.answered } : {}),
    signal: interrupts.signal,
  });
  const codes =
    context.io.stderr.isTTY === true
      ? { ticket: await server.ticket(), login: await server.login() }
      : undefined;
  const places = await Promise.all(
    projects.map(async ({ name, root, parts }) => {
      return { name, place: await placeOfLoops(await parts.storeChoice(), root) };
    }),
  );
  for (const [tone, line] of listeningLines(server, codes, {
    ...flags,
    ...context,
    places,
    page,
  })) {
    context.say(context.paintError(tone, sanitizeLine(context.hint(line))));
  }
  return server;
}

/** Sends what `/metrics` prints, where the environment names a collector. */
async function metricsOf({ io, say }: Context, { metrics: read }: Server) {
  if (!isCollected(io.env, "METRICS")) return undefined;
  const { sendMetrics } = await import("@ccw-loop/telemetry");
  return sendMetrics({ version: version(), say: (text) => say(`ccw-loop: ${text}`), read });
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

/** Has the token where its file is no plain file of this user, as secrets in containers are. */
const TOKEN_VARIABLE = "CCW_LOOP_SERVE_TOKEN";

function placeOf(
  { cwd, io }: Context,
  { host, port, socket, tokenFile }: ServeFlags,
): Pick<ServeOptions, "listen" | "token" | "tokenFile"> {
  const { [TOKEN_VARIABLE]: token = "" } = io.env;
  return {
    listen:
      socket === undefined ? withoutUndefined({ host, port }) : { socket: resolve(cwd, socket) },
    ...(tokenFile === undefined && token !== ""
      ? { token }
      : { tokenFile: tokenFile === undefined ? userTokenFile(io.env) : resolve(cwd, tokenFile) }),
  };
}

interface ListeningInfo
  extends Pick<ServeFlags, "socket" | "public" | "allowHost" | "tokenFile">,
    Pick<Context, "cwd"> {
  places: readonly { name: string; place: string }[];
  page: URL;
}

/** That there is no dashboard, and what builds it in a checkout; null where it is there. */
export function missingPage(page: URL): string | null {
  if (existsSync(new URL("index.html", page))) return null;
  const script = fileURLToPath(new URL("../../../../scripts/x.mjs", page));
  const next = existsSync(script)
    ? `Build it, and start this again: node ${shellWord(script)} exec pnpm --filter @ccw-loop/web... build`
    : "Install this program again.";
  return `The dashboard is not built, so this server shows no page. ${next}`;
}

/**
 * What a person needs to use a server that begins to listen. The token itself is never shown, and `codes` only to a
 * terminal: whoever reads a log could use them.
 */
function listeningLines(
  { url, tokenFile }: Server,
  codes: { ticket: string; login: string } | undefined,
  { places, cwd, page, ...flags }: ListeningInfo,
): [Tone, string][] {
  const socket = flags.socket === undefined ? undefined : resolve(cwd, flags.socket);
  const file = shellWord(tokenFile ?? "TOKEN_FILE");
  const lines: [Tone, string][] = [["good", `Listening at ${socket ?? url}`]];
  for (const { name, place } of places) {
    const at = places.length > 1 ? ` at ${url}/projects/${name}` : "";
    lines.push(["plain", `Serving the loops of ${place}${at}`]);
  }
  lines.push(["plain", `The token is in ${tokenFile ?? TOKEN_VARIABLE}`]);
  if (socket !== undefined) {
    // Through a pipe: arguments of a program can be seen by everybody on the machine.
    const header = `printf 'Authorization: Bearer %s\\n' "$(cat ${file})"`;
    const curl = `curl --unix-socket ${shellWord(socket)} -H @- ${url}/api/loops/v2`;
    return [...lines, ["plain", `List the loops with: ${header} | ${curl}`]];
  }
  const missing = missingPage(page);
  const dashboard = codes === undefined ? `${url}/` : `${url}/#login=${codes.login}`;
  const once = codes === undefined ? "" : ", within 15 minutes and once";
  if (missing === null) lines.push(["plain", `Open the dashboard${once}: ${dashboard}`]);
  else lines.push(["warning", missing]);
  const token = flags.tokenFile !== undefined ? ` --token-file ${file}` : "";
  lines.push(["plain", `List the loops with: ccw-loop list --url ${url}${token}`]);
  if (codes !== undefined) {
    const stream = `${url}/api/events?ticket=${codes.ticket}`;
    lines.push(["plain", `Watch them, within 30 s and once: curl -N '${stream}'`]);
  }
  if (flags.public) lines.push(["warning", IN_THE_CLEAR]);
  if (flags.public && flags.allowHost === undefined) lines.push(["warning", ONLY_LOCALHOST]);
  return lines;
}

const IN_THE_CLEAR =
  "Everything is sent in the clear, the token too: put a reverse proxy that speaks TLS in front, or trust the network.";
const ONLY_LOCALHOST =
  "Clients that call it by another name than localhost are refused; allow the name with --allow-host.";
