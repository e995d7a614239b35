import { existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { LoopError } from "@ccw-loop/core";
import { foldersUp, isInside, realPath } from "@ccw-loop/processes/plain-file";
import { acpCommandIn, acpCommandName, isAcpCommand } from "./acp-agents.ts";

/** A module as the operator's own configuration names it. */
export interface OperatorModule {
  /** Absolute. */
  file: string;
  /** Unchecked; the module's own affair. */
  options: unknown;
}

/** Whether a name means a file: it begins with `.` or `/`, or is a file: URL. */
export function isModulePath(name: string): boolean {
  return name.startsWith(".") || isAbsolute(name) || /^file:/i.test(name);
}

/** Whether a name means something that runs because its operator names it, and for no other reason: a module or a command. */
export function isOperatorsOwn(name: string): boolean {
  return isModulePath(name) || isAcpCommand(name);
}

/** The same name wherever it is used: paths in it are counted from `base`. Throws `invalid_input` for what is none. */
export function ownName(name: string, base: string): string {
  return isAcpCommand(name) ? acpCommandName(acpCommandIn(name, base)) : modulePath(name, base);
}

/** The absolute path of a module that is named by a path, counted from `base`. Throws `invalid_input` for a URL that is none of a file. */
export function modulePath(name: string, base: string): string {
  if (!/^file:/i.test(name)) return resolve(base, name);
  try {
    return fileURLToPath(name);
  } catch (error) {
    throw new LoopError("invalid_input", `${name} is no URL of a file here. Name its path.`, {
      cause: error,
    });
  }
}

/**
 * The file of a module that the configuration file `from` names: by a path beside it, or as a package that lies in
 * `node_modules` of its folder or of one above. Nothing in the environment leads elsewhere. Throws `invalid_input`.
 */
export async function moduleFile(name: string, from: string): Promise<string> {
  const file = isModulePath(name) ? modulePath(name, dirname(from)) : await packageFile(name, from);
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) return file;
  throw new LoopError("invalid_input", `${name} in ${from} is no file: ${file}.`);
}

async function packageFile(name: string, from: string): Promise<string> {
  const [, owner, inside = ""] = /^((?:@[^/@.][^/]*\/)?[^/@.][^/]*)(\/.+)?$/.exec(name) ?? [];
  const folder = owner === undefined ? undefined : folderOf(owner, dirname(from));
  if (folder === undefined) {
    const message = `${name} in ${from} is no package that is installed there. Install it, or name a file: ./FILE.js`;
    throw new LoopError("invalid_input", message, { details: { name, file: from } });
  }
  const manifest: unknown = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const { exports, main } = manifest as { exports?: unknown; main?: string };
  if (exports === undefined) return join(folder, inside === "" ? (main ?? "index.js") : inside);
  const target = exportedFile(exports, `.${inside}`);
  if (target !== undefined) return join(folder, target);
  throw new LoopError("invalid_input", `${name} in ${from} is not exported by its package.`);
}

function folderOf(name: string, start: string): string | undefined {
  const places = foldersUp(start).map((folder) => join(folder, "node_modules", name));
  return places.find((place) => existsSync(join(place, "package.json")));
}

/** What a package exports under a key, to programs that import it in Node. */
function exportedFile(exports: unknown, key: string): string | undefined {
  if (typeof exports === "string") return key === "." ? exports : undefined;
  if (typeof exports !== "object" || exports === null) return undefined;
  const hasKeys = Object.keys(exports).some((one) => one.startsWith("."));
  if (hasKeys) return underCondition((exports as Record<string, unknown>)[key]);
  return key === "." ? underCondition(exports) : undefined;
}

const CONDITIONS = new Set(["node", "import", "module-sync", "default"]);

function underCondition(target: unknown): string | undefined {
  if (typeof target === "string") return target;
  if (typeof target !== "object" || target === null) return undefined;
  for (const [condition, value] of Object.entries(target)) {
    const file = CONDITIONS.has(condition) ? underCondition(value) : undefined;
    if (file !== undefined) return file;
  }
  return undefined;
}

/** Whether the agents of a project may write to this file: it lies in the project, or in a worktree of its loops. */
export function isInProject(file: string, root: string): boolean {
  return [root, realPath(root)].some((top) =>
    [file, realPath(file)].some(
      (path) => isInside(top, path) || isInside(`${top}.worktrees`, path),
    ),
  );
}
