import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

/** What no test compares with: packages are watched by themselves, and repositories are not the room's. */
const SKIPPED = new Set(["node_modules", ".git", "__pycache__"]);

/** What tells that a file or folder was written, renamed or replaced, which no program can undo: by `/` path. */
export type Stamps = ReadonlyMap<string, Stamp>;

interface Stamp {
  /** The file itself, and the time of its last change of any kind (`ctime`, in nanoseconds). */
  identity: string;
  /** Of a folder: the names in it. */
  names: string | null;
}

export async function stampsOf(root: string): Promise<Stamps> {
  const stamps = new Map<string, Stamp>();
  const look = async (path: string): Promise<void> => {
    const place = join(root, path);
    const stats = await lstat(place, { bigint: true }).catch(() => null);
    if (stats === null) return;
    const names = stats.isDirectory() ? (await readdir(place)).sort() : null;
    stamps.set(path, {
      identity: `${stats.ino} ${stats.ctimeNs}`,
      names: names?.join("/") ?? null,
    });
    const below = (names ?? []).filter((name) => !SKIPPED.has(name));
    await Promise.all(below.map((name) => look(path === "" ? name : `${path}/${name}`)));
  };
  await look("");
  return stamps;
}

/**
 * Files that are not the same ones any more, though they may hold the same again. A folder that got a new time together with
 * the one around it, and has the names that it had, may have been another one meanwhile: then all of its files count.
 */
export function touchedSince(before: Stamps, after: Stamps): string[] {
  const isOther = (path: string) => after.get(path)?.identity !== before.get(path)?.identity;
  const wasElsewhere = (path: string) =>
    path !== "" &&
    isOther(path) &&
    isOther(folderOf(path)) &&
    after.get(path)?.names === before.get(path)?.names;
  const paths = [...before.keys()];
  const isFolder = (path: string) => before.get(path)?.names !== null;
  const folders = paths.filter((path) => isFolder(path) && wasElsewhere(path));
  const isBelow = (path: string) => folders.some((folder) => path.startsWith(`${folder}/`));
  return paths.filter((path) => !isFolder(path) && (isOther(path) || isBelow(path))).sort();
}

const folderOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf("/"), 0));
