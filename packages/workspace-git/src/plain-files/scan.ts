import { createHash } from "node:crypto";
import type { BigIntStats, Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { LoopError } from "@ccw-loop/core";
import { fileDigest, StampCache } from "../file-digest.ts";
import { OWN_FOLDER } from "../folders.ts";
import { placeholderText, READ_LIMIT } from "../left-out.ts";
import { fileAt, type RawPath } from "../raw-path.ts";

/** Folders that hold what tools fetched, built or cached; without git nobody says which files matter. */
export const IGNORED_FOLDERS: ReadonlySet<string> = new Set([
  OWN_FOLDER[0],
  ...[".git", ".hg", ".svn", "node_modules", "bower_components"],
  ...["dist", "build", "out", "target", "coverage", "__pycache__", "venv", ".venv", ".tox"],
  ...[
    ".cache",
    ".next",
    ".nuxt",
    ".turbo",
    ".gradle",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
  ],
]);

const MOST_FILES = 200_000;
const AT_ONCE = 64;

/** A regular file or a symbolic link. */
export interface FoundFile {
  path: RawPath;
  stats: BigIntStats;
}

/** Everything below `root` that is not ignored; links are not followed. Throws `invalid_input` above 200,000 files. */
export async function scan(root: string): Promise<FoundFile[]> {
  let found: FoundFile[] = [];
  let folders: RawPath[] = [""];
  while (folders.length > 0) {
    const batch = folders.slice(0, AT_ONCE);
    folders = folders.slice(AT_ONCE);
    const listed = (await Promise.all(batch.map((folder) => entriesOf(root, folder)))).flat();
    const wanted = listed.filter(({ entry }) => !isIgnoredFolder(entry));
    const looked = wanted.map(({ path, entry }) => look(root, path, entry));
    folders = folders.concat(wanted.filter(isFolder).map(({ path }) => path));
    found = found.concat((await Promise.all(looked)).flat());
    if (found.length > MOST_FILES) throw tooMany(root);
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function look(root: string, path: RawPath, entry: Dirent<Buffer>): Promise<FoundFile[]> {
  if (!entry.isFile() && !entry.isSymbolicLink()) return [];
  const stats = await lstat(fileAt(root, path), { bigint: true }).catch(() => null);
  return stats ? [{ path, stats }] : [];
}

function isFolder({ entry }: Entry): boolean {
  return entry.isDirectory();
}

function isIgnoredFolder(entry: Dirent<Buffer>): boolean {
  return entry.isDirectory() && IGNORED_FOLDERS.has(entry.name.toString("latin1"));
}

interface Entry {
  path: RawPath;
  entry: Dirent<Buffer>;
}

async function entriesOf(root: string, folder: RawPath): Promise<Entry[]> {
  try {
    const entries = await readdir(fileAt(root, folder), {
      encoding: "buffer",
      withFileTypes: true,
    });
    return entries.map((entry) => {
      const name = entry.name.toString("latin1");
      return { entry, path: folder === "" ? name : `${folder}/${name}` };
    });
  } catch (error) {
    // A folder that went away while we looked; only the root must be there.
    if (folder !== "") return [];
    throw new LoopError("invalid_input", `The folder ${root} cannot be read.`, { cause: error });
  }
}

function tooMany(root: string): LoopError {
  return new LoopError(
    "invalid_input",
    `${root} holds more than 200,000 files. Run the loop in a smaller folder or in a git repository.`,
  );
}

/**
 * Gives SHA-256 digests (hexadecimal) of files' contents, null for a file that went away. One whose size, times and
 * inode are as before is not read again.
 */
export function digestCache(root: string): (file: FoundFile) => Promise<string | null> {
  const remembered = new StampCache<string>();
  return async (file) => {
    const { path, stats } = file;
    const known = remembered.get(path, stats);
    if (known !== undefined) return known;
    const now = Date.now();
    const digest = await read(root, file);
    if (digest !== null) remembered.set(path, stats, digest, now);
    return digest;
  };
}

async function read(root: string, { path, stats }: FoundFile): Promise<string | null> {
  const placeholder = () => createHash("sha256").update(placeholderText(stats)).digest("hex");
  if (stats.size > READ_LIMIT) return placeholder();
  try {
    return await fileDigest(fileAt(root, path), stats.isSymbolicLink());
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? null : placeholder();
  }
}
