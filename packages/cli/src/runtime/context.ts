import { mkdirSync, statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { LoopError } from "@ccw-loop/core";
import { type Paint, painter, sanitizeLine } from "@ccw-loop/view";
import { cacheFolder, userFile, userKeyFile } from "../config/settings.ts";
import { isOperatorsOwn, ownName } from "../extensions/module-file.ts";
import { SANDBOX_VARIABLE, type SaidSandbox } from "../extensions/sandbox-choice.ts";
import { databaseSaid } from "../extensions/store-choice.ts";
import { type ComposeOptions, compose, type Parts } from "./compose.ts";
import { commandHints, commandPrefix, type PlaceOptions } from "./hints.ts";
import { type Io, wantsColor } from "./io.ts";
import { loopFolder, projectRoot } from "./project-root.ts";
import { composeRemote, type RemotePlace, remoteOf } from "./remote.ts";

/** What every command is given. */
export interface Context {
  /** Its full name: `run`, `tasks add`. */
  command: string;
  io: Io;
  /** One JSON document instead of text. */
  json: boolean;
  /** Where the caller stands, and the project that this place belongs to. */
  cwd: string;
  root: string;
  /** The control plane that has the loops; null when they are the project's own. */
  remote: RemotePlace | null;
  parts: Parts;
  /** What the operator named for this command; for every project that it opens. */
  extensions: Required<
    Pick<
      ComposeOptions,
      "agentsElsewhere" | "cache" | "database" | "named" | "ownFile" | "sandbox" | "env"
    >
  >;
  /** False for `--no-color`. */
  color: boolean;
  /** Colors for stdout and for stderr. */
  paint: Paint;
  paintError: Paint;
  /** How a command about these loops begins where this one was typed: `npx ccw-loop --url …`. */
  program: () => string;
  /** Words of ours with the commands in them as they are typed here. Not for words of anybody else. */
  hint: (text: string) => string;
  /** A line for people, on stderr. A live view puts its own in this place while it holds the screen. */
  say: (text: string) => void;
  close(): Promise<void>;
}

interface GlobalOptions extends PlaceOptions {
  json?: boolean;
  /** False for `--no-color`. */
  color?: boolean;
  /** Another project than the one at `cwd`, of `verify`. */
  repo?: string;
  /** Another key than the user's own, of `verify`. */
  key?: string;
  /** Names, modules and commands of agents. */
  agent?: string | string[] | undefined;
  fallback?: string | undefined;
  review?: string | undefined;
  sandbox?: string | undefined;
  /** In milliseconds, of `worker`. */
  lease?: number;
  /** False for `--no-drive`, of `serve`. */
  drive?: boolean;
}

/** Opens what a command needs. Throws `invalid_input` when `--cwd` is no folder. */
export function openContext(command: string, io: Io, options: GlobalOptions): Context {
  const { cwd: named = "." } = options;
  // The folder that this was called in may be gone, and is not asked for where another is named.
  const cwd = folderIn(isAbsolute(named) ? "/" : io.cwd, named, "--cwd");
  const cache = cacheFolder(io.env);
  // A worker has no project: what it keeps on this machine lies with its clones.
  const isWorker = command === "worker";
  const root = isWorker
    ? madeFolder(cache)
    : projectRoot(options.repo === undefined ? cwd : folderIn(cwd, options.repo, "--repo"));
  const color = options.color !== false;
  const remote = remoteOf(command, io.env, options);
  if (remote !== null && options.sandbox !== undefined) {
    const message = `--sandbox is said to whoever drives the loops, and that is ${remote.url}. Leave it out, or say it to: ccw-loop serve`;
    throw new LoopError("invalid_input", message);
  }
  const extensions = {
    cache,
    named: [options.agent ?? [], options.fallback ?? [], options.review ?? []]
      .flat()
      .filter(isOperatorsOwn)
      .map((name) => ownName(name, cwd)),
    // The demo is the same for everybody, whatever they have configured.
    ownFile: command === "demo" ? null : userFile(io.env),
    sandbox: command === "demo" ? null : saidSandbox(io.env, options.sandbox, cwd),
    database: command === "demo" ? null : databaseSaid(io.env, options.store),
    agentsElsewhere: command === "start" || options.drive === false,
    env: io.env,
  };
  const parts = remote
    ? composeRemote(remote, { env: io.env, cwd })
    : compose(root, {
        warn: (message) => context.say(`ccw-loop: ${sanitizeLine(message)}`),
        keyFile: userKeyFile(io.env),
        namedKey: options.key === undefined ? undefined : resolve(cwd, options.key),
        ...(isWorker ? { role: "worker", leaseTtlMs: options.lease } : {}),
        ...extensions,
      });
  const context: Context = {
    command,
    io,
    json: options.json === true,
    cwd,
    root,
    remote,
    parts,
    extensions,
    color,
    paint: painter(wantsColor(io, io.stdout, color)),
    paintError: painter(wantsColor(io, io.stderr, color)),
    program: () => commandPrefix(io, options),
    hint: commandHints(io, options),
    say: (text) => void io.stderr.write(`${text}\n`),
    close: () => parts.close(),
  };
  return context;
}

/** The flag, else the environment. */
function saidSandbox(env: Io["env"], flag: string | undefined, base: string): SaidSandbox | null {
  if (flag !== undefined) return { text: flag, name: "--sandbox", origin: "flag", base };
  const text = env[SANDBOX_VARIABLE] ?? "";
  return text === ""
    ? null
    : { text, name: SANDBOX_VARIABLE, origin: `env ${SANDBOX_VARIABLE}`, base };
}

/** Loads the agents that a command is to have beside the registered ones, before it begins. Throws what is wrong with them. */
export async function requireModules(
  { parts, extensions, remote }: Context,
  given: readonly string[] = [],
): Promise<void> {
  const name = given.find((one) => !isOperatorsOwn(one));
  if (name !== undefined) {
    const message = `--agent takes a module here, such as ./FILE.js, or a command, such as "acp:my-agent --acp", and not ${JSON.stringify(name)}: registered agents are known without it.`;
    throw new LoopError("invalid_input", message);
  }
  if (remote !== null) return;
  for (const named of extensions.named) await parts.agent({ agent: named });
}

/** A folder that may keep what a project keeps. */
function madeFolder(folder: string): string {
  try {
    mkdirSync(loopFolder(folder), { recursive: true, mode: 0o700 });
    return folder;
  } catch (cause) {
    const message = `The folder ${folder} cannot be made. Name another one by CCW_LOOP_CACHE.`;
    throw new LoopError("system_unavailable", message, { cause });
  }
}

/** The folder that an option names. Throws `invalid_input` where there is none. */
export function folderIn(cwd: string, named: string, option: string): string {
  const folder = resolve(cwd, named);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  throw new LoopError("invalid_input", `${folder} is not a folder. Name one with ${option}.`);
}
