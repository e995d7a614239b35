import { existsSync } from "node:fs";
import { delimiter, dirname, join, sep } from "node:path";
import { shellWord } from "@ccw-loop/core";
import { foldersUp, realPath } from "@ccw-loop/processes/plain-file";

/** A launcher of ours, and who typed it where. */
export interface Caller {
  /** The real path of `bin/ccw-loop.js`. */
  bin: string;
  /** The Node that runs it. */
  execPath: string;
  /** Undefined where that folder is gone. */
  cwd: string | undefined;
  path: string | undefined;
}

const NAME = "ccw-loop";
/** Folders that npm and npx put in PATH for the programs that they start. */
const NPM_BIN = join("node_modules", ".bin");

/** How this installation is typed in the caller's folder: `npx ccw-loop` where it is one of a project. */
export function commandInFolder(caller: Caller): string {
  const { bin, cwd } = caller;
  if (isInPath(caller)) return NAME;
  if (cwd === undefined) return commandAnywhere(caller);
  const checkout = checkoutOf(bin);
  if (checkout !== undefined) {
    return nearest(cwd, "package.json") === checkout
      ? "npm run -s cli --"
      : commandAnywhere(caller);
  }
  const project = nearest(cwd, join(NPM_BIN, NAME));
  if (project === undefined) return commandAnywhere(caller);
  const isOurs =
    realPath(join(project, NPM_BIN, NAME)) === bin ||
    bin.startsWith(join(project, "node_modules", sep));
  return isOurs ? `npx ${NAME}` : commandAnywhere(caller);
}

/** How it is typed in any folder. */
export function commandAnywhere(caller: Caller): string {
  const { bin, execPath, path } = caller;
  if (isInPath(caller)) return NAME;
  if (bin.includes(`${sep}_npx${sep}`)) return `npx -p @ccw-loop/cli ${NAME}`;
  const checkout = checkoutOf(bin);
  // It brings the Node that it needs.
  if (checkout !== undefined) return `node ${shellWord(join(checkout, "scripts", "x.mjs"))} cli`;
  const node = firstIn(path, "node") === realPath(execPath) ? "node" : shellWord(execPath);
  return `${node} ${shellWord(bin)}`;
}

/** Whether the shell finds this installation by its name. What is no link is taken for a shim of a version manager. */
function isInPath({ bin, path }: Caller): boolean {
  const found = firstIn(path, NAME);
  if (found === undefined || found === bin) return found === bin;
  return !found.endsWith(`${NAME}.js`) && checkoutOf(bin) === undefined;
}

/** The real path of the program that the user's own shell starts under a name. */
function firstIn(path: string | undefined, name: string): string | undefined {
  const folders = (path ?? "")
    .split(delimiter)
    .filter((one) => one !== "" && !one.endsWith(NPM_BIN));
  const file = folders.map((folder) => join(folder, name)).find((one) => existsSync(one));
  return file === undefined ? undefined : realPath(file);
}

/** The repository that a launcher is a source file of. */
function checkoutOf(bin: string): string | undefined {
  const root = dirname(dirname(dirname(dirname(bin))));
  return existsSync(join(root, "scripts", "x.mjs")) ? root : undefined;
}

/** The folder, at or above `folder`, that has this file. */
function nearest(folder: string, file: string): string | undefined {
  return foldersUp(folder).find((one) => existsSync(join(one, file)));
}
