import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { posix } from "node:path";
import { LoopError } from "@ccw-loop/core";
import { fileDigest, StampCache } from "../file-digest.ts";
import { OWN_FOLDER } from "../folders.ts";
import { placeholderText, READ_LIMIT } from "../not-kept.ts";
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

/** A path and what lies there. */
export interface FoundFile {
  path: RawPath;
  stats: BigIntStats;
}

/** Every file and link below `root` that is not ignored. Throws `invalid_input` above 200,000 of them, and for no folder. */
export async function scan(root: string): Promise<FoundFile[]> {
  await readdir(root).catch((cause: unknown) => {
    throw new LoopError("invalid_input", `The folder ${root} cannot be read.`, { cause });
  });
  const isIgnored = ({ path, stats }: FoundFile) =>
    stats.isDirectory() && IGNORED_FOLDERS.has(posix.basename(path));
  const found = await filesBelow(root, [""], isIgnored, MOST_FILES);
  if (found.length > MOST_FILES) throw tooMany(root);
  return found;
}

/**
 * Files and links below folders, in the order of their paths, without what is left out; links are not followed. Ends early
 * where there are more than `most`.
 */
export async function filesBelow(
  root: string,
  folders: readonly RawPath[],
  isLeftOut: (file: FoundFile) => boolean,
  most = Number.POSITIVE_INFINITY,
): Promise<FoundFile[]> {
  const found: FoundFile[] = [];
  let open = [...folders];
  while (open.length > 0 && found.length <= most) {
    const batch = open.slice(0, AT_ONCE);
    open = open.slice(AT_ONCE);
    const looked = await Promise.all(batch.map((folder) => entriesOf(root, folder)));
    for (const file of looked.flat()) {
      if (isLeftOut(file)) continue;
      if (file.stats.isDirectory()) open.push(file.path);
      else if (file.stats.isFile() || file.stats.isSymbolicLink()) found.push(file);
    }
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Nothing in a folder that went away meanwhile. */
async function entriesOf(root: string, folder: RawPath): Promise<FoundFile[]> {
  const names = await readdir(fileAt(root, folder), { encoding: "buffer" }).catch(() => []);
  const above = folder === "" ? "" : `${folder}/`;
  return filesAt(
    root,
    names.map((name) => `${above}${name.toString("latin1")}`),
  );
}

/** Those of the paths where something is. */
export async function filesAt(root: string, paths: readonly RawPath[]): Promise<FoundFile[]> {
  const looked = paths.map(async (path) => {
    const stats = await lstat(fileAt(root, path), { bigint: true }).catch(() => null);
    return stats && { path, stats };
  });
  return (await Promise.all(looked)).filter((file) => file !== null);
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
