import { lstat, rmdir, unlink } from "node:fs/promises";
import { fileAt, type RawPath, rawOf } from "../../raw-path.ts";
import { unsafePath, unwritable } from "../refusals.ts";
import type { Repository } from "../repository.ts";

/** Removes files and links, then the folders that are empty because of it; `cwd` and what is above it stay. */
export async function removeFiles(
  { top, prefix }: Repository,
  paths: readonly RawPath[],
): Promise<void> {
  const folders = new Set<RawPath>();
  for (const path of paths) {
    if (!(await isReachable(top, path))) continue;
    await unlink(fileAt(top, path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw unwritable(error, fileAt(top, path));
    });
    for (const folder of foldersOf(path)) folders.add(folder);
  }
  const home = rawOf(prefix);
  const emptied = [...folders].filter((path) => !home.startsWith(`${path}/`));
  for (const path of emptied.sort((a, b) => b.length - a.length)) {
    // Not empty: it stays.
    await rmdir(fileAt(top, path)).catch(() => undefined);
  }
}

/** Throws `unsafe_path` when a folder on the way is none; false when one is not there. */
export async function isReachable(top: string, path: RawPath): Promise<boolean> {
  for (const folder of foldersOf(path)) {
    const found = await lstat(fileAt(top, folder)).catch(() => null);
    if (found === null) return false;
    if (!found.isDirectory()) throw unsafePath(top, folder);
  }
  return true;
}

/** From the top down. */
function foldersOf(path: RawPath): RawPath[] {
  const folders: RawPath[] = [];
  for (let slash = path.indexOf("/"); slash > 0; slash = path.indexOf("/", slash + 1)) {
    folders.push(path.slice(0, slash));
  }
  return folders;
}
