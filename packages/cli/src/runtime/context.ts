import { statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { LoopError } from "@ccw-loop/core";
import { type Paint, painter, sanitizeLine } from "@ccw-loop/view";
import { userKeyFile } from "../config/settings.ts";
import { compose, type Parts } from "./compose.ts";
import { commandHints, commandPrefix, type PlaceOptions } from "./hints.ts";
import { type Io, wantsColor } from "./io.ts";
import { projectRoot } from "./project-root.ts";
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

export interface GlobalOptions extends PlaceOptions {
  json?: boolean;
  /** False for `--no-color`. */
  color?: boolean;
  /** Another project than the one at `cwd`, of `verify`. */
  repo?: string;
  /** Another key than the user's own, of `verify`. */
  key?: string;
}

/** Opens what a command needs. Throws `invalid_input` when `--cwd` is no folder. */
export function openContext(command: string, io: Io, options: GlobalOptions): Context {
  const { cwd: named = "." } = options;
  // The folder that this was called in may be gone, and is not asked for where another is named.
  const cwd = folderIn(isAbsolute(named) ? "/" : io.cwd, named, "--cwd");
  const root = projectRoot(
    options.repo === undefined ? cwd : folderIn(cwd, options.repo, "--repo"),
  );
  const color = options.color !== false;
  const remote = remoteOf(command, io.env, options);
  const parts = remote
    ? composeRemote(remote, { env: io.env, cwd })
    : compose(root, {
        warn: (message) => context.say(`ccw-loop: ${sanitizeLine(message)}`),
        keyFile: options.key === undefined ? userKeyFile(io.env) : resolve(cwd, options.key),
      });
  const context: Context = {
    command,
    io,
    json: options.json === true,
    cwd,
    root,
    remote,
    parts,
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

function folderIn(cwd: string, named: string, option: string): string {
  const folder = resolve(cwd, named);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  throw new LoopError("invalid_input", `${folder} is not a folder. Name one with ${option}.`);
}
