import { constants } from "node:fs";
import { copyFile, lstat, mkdir, opendir, readFile, realpath, utimes } from "node:fs/promises";
import { posix } from "node:path";
import { OWN_FOLDER } from "../own-folder.ts";
import { fileAt, type RawPath, rawOf } from "../raw-path.ts";
import { LINK_RULES } from "./rules.ts";

/** Larger files, and folders with more, are what tools made: builds, caches, databases. */
const FILE_BYTES = 1024 * 1024;
const FOLDER_BYTES = 8 * FILE_BYTES;
const FOLDER_FILES = 200;
const FILES = 500;
/** How tools mark a folder of theirs that nobody needs to keep (https://bford.info/cachedir/). */
const CACHE_TAG = "CACHEDIR.TAG";

/**
 * Small files that no tree holds and that tests may need, such as settings and data that git ignores. `paths` are those of
 * files, and of folders with a slash at the end. What is installed, and whole folders that are large or a cache, are left out.
 */
export async function smallIgnoredFiles(
  top: string,
  paths: readonly RawPath[],
): Promise<RawPath[]> {
  const found: RawPath[] = [];
  for (const path of paths) {
    if (path.split("/").some((name) => name === OWN_FOLDER[0] || name in LINK_RULES)) continue;
    const more = path.endsWith("/")
      ? await filesIn(top, path.slice(0, -1))
      : await sizeOf(top, path).then((size) => (size <= FILE_BYTES ? [path] : []));
    if (found.length + more.length <= FILES) found.push(...more);
  }
  return found.sort();
}

/**
 * All files of a folder; none where they are too many, or where one names the place of the project: such a folder was built
 * for that place, and tools refuse it in another one.
 */
async function filesIn(top: string, folder: RawPath): Promise<RawPath[]> {
  const found: RawPath[] = [];
  const place = Buffer.from(rawOf(top), "latin1");
  let bytes = 0;
  for (const open = [folder]; open.length > 0; ) {
    const at = open.pop() ?? "";
    const entries = await opendir(fileAt(top, at), { encoding: "latin1" }).catch(() => []);
    for await (const entry of entries) {
      const path = `${at}/${entry.name}`;
      if (entry.name === CACHE_TAG || entry.name === ".git" || entry.name in LINK_RULES) return [];
      if (entry.isDirectory()) open.push(path);
      else if (entry.isFile()) {
        const size = await sizeOf(top, path);
        if (size <= FILE_BYTES && (await readFile(fileAt(top, path))).includes(place)) return [];
        bytes += size;
        found.push(path);
      }
      if (bytes > FOLDER_BYTES || found.length + open.length > FOLDER_FILES) return [];
    }
  }
  return found;
}

/** In bytes; of what is no regular file more than any. */
async function sizeOf(top: string, path: RawPath): Promise<number> {
  const stats = await lstat(fileAt(top, path)).catch(() => null);
  return stats?.isFile() ? stats.size : Number.POSITIVE_INFINITY;
}

/** Copies such files, as old as they are, to where nothing is yet in another copy of the project. */
export async function copyIgnoredFiles(
  from: string,
  to: string,
  paths: readonly RawPath[],
): Promise<void> {
  for (const path of paths) {
    const [there, here] = [fileAt(from, path), fileAt(to, path)];
    if (await lstat(here).catch(() => null)) continue;
    const folder = fileAt(to, posix.dirname(path));
    const made = await mkdir(folder, { recursive: true }).catch(() => null);
    // A link of the copy may lead out of it.
    if (made === null || !isBelow(to, await realpath(folder, { encoding: "buffer" }))) continue;
    await copyFile(there, here, constants.COPYFILE_FICLONE);
    const { atime, mtime } = await lstat(there);
    await utimes(here, atime, mtime);
  }
}

function isBelow(top: string, folder: Buffer): boolean {
  return `${folder.toString("latin1")}/`.startsWith(`${rawOf(top)}/`);
}
