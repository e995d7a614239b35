import { existsSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { typedCommand } from "@ccw-loop/core";
import { nearestLock, readPackage } from "../detect/scripts.ts";

/** Packages that a folder's package.json names and Node would not find from there; none where Yarn keeps them elsewhere. */
export function missingPackages(folder: string): string[] {
  const found = readPackage(folder);
  if (!found || existsAbove(folder, ".pnp.cjs")) return [];
  const named = [...Object.keys(found.dependencies), ...Object.keys(found.devDependencies)];
  return named.filter((name) => !existsAbove(folder, join("node_modules", name)));
}

/** The command that installs them, for a shell in `cwd`; what lies above that is not touched. */
export function installCommand(cwd: string, folder: string): string {
  const lock = nearestLock(folder);
  if (lock === null || relative(cwd, lock.folder).startsWith("..")) {
    return within(cwd, folder, "npm install");
  }
  return within(cwd, lock.folder, lock.manager === "npm" ? "npm ci" : `${lock.manager} install`);
}

/** A command for a folder as it is typed in `cwd`. */
export function within(cwd: string, folder: string, command: string): string {
  const path = relative(cwd, folder);
  return typedCommand(path === "" ? { command } : { command, folder: path });
}

/** Whether a path is there in the folder or one above it. */
function existsAbove(folder: string, path: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, path))) return true;
    if (at === dirname(at)) return false;
  }
}

/** Whether a folder is missing or has nothing in it. */
export function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch {
    return true;
  }
}
