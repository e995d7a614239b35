import { lstatSync, readdirSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { LoopError } from "@ccw-loop/core";
import { fileAt, type RawPath, textOf } from "../raw-path.ts";

/** Git lists and compares any tree in less, or is waiting for something. */
const STALLED_MS = 5000;
/** Files that git opens in every folder, and waits for where one is a pipe. */
const READ = [".gitignore", ".gitattributes"];
const AT_ONCE = 200;

/**
 * Ends what `use` starts when git waits for a pipe or a device that lies where it reads its rules. Throws
 * `workspace_unavailable` then, with its path.
 */
export async function unlessStalled<T>(
  top: string,
  use: (signal: AbortSignal) => Promise<T>,
  stalledMs: number = STALLED_MS,
): Promise<T> {
  const end = new AbortController();
  const timer = setTimeout(() => {
    void findPipe(top).then((path) => {
      if (path !== null) end.abort(waitsFor(top, path));
    });
  }, stalledMs);
  try {
    return await use(end.signal);
  } finally {
    clearTimeout(timer);
  }
}

async function findPipe(top: string): Promise<RawPath | null> {
  const folders: RawPath[] = [""];
  for (let n = 0; n < folders.length; n += 1) {
    const folder = folders[n] ?? "";
    if (n % AT_ONCE === AT_ONCE - 1) await setImmediate();
    for (const entry of entriesOf(top, folder)) {
      const name = entry.name.toString("latin1");
      const path = folder === "" ? name : `${folder}/${name}`;
      if (entry.isDirectory() && name !== ".git") folders.push(path);
      else if (READ.includes(name) && isNoFile(top, path)) return path;
    }
  }
  return null;
}

function entriesOf(top: string, folder: RawPath) {
  try {
    return readdirSync(fileAt(top, folder), { encoding: "buffer", withFileTypes: true });
  } catch {
    // It went away, or may not be entered: nor does git.
    return [];
  }
}

function isNoFile(top: string, path: RawPath): boolean {
  const found = lstatSync(fileAt(top, path), { throwIfNoEntry: false });
  return found !== undefined && !found.isFile() && !found.isDirectory() && !found.isSymbolicLink();
}

function waitsFor(top: string, path: RawPath): LoopError {
  return new LoopError(
    "workspace_unavailable",
    `${textOf(path)} in ${top} is a pipe or a device, and git waits for it. Remove it, then try again.`,
  );
}
