import {
  type Dirent,
  existsSync,
  lstatSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { Surroundings } from "@ccw-loop/core";
import { isInside } from "@ccw-loop/processes/plain-file";

/** So many entries are shown again one by one, where the folder that holds them is made anew: each costs a mount in every run. */
const SHOWN_AT_MOST = 400;
/** Where any program can leave something for another one. */
const TEMPORARY = ["/tmp", "/var/tmp", "/dev/shm"];

type Since = Pick<Surroundings, "since" | "newer">;

/**
 * Options of bubblewrap that show the machine as it was then: without what is newer, and with temporary folders of their own
 * that hold what is older. `kept` are folders that stay as they are.
 */
export function coversSince({ since, newer }: Since, beside: string): string[] {
  const folders = temporaryFolders();
  const kept = [beside, ...namedPaths(folders)];
  const own = [...new Set(kept)].filter(
    (path) =>
      folders.some((folder) => isInside(folder, path)) &&
      !folders.some((folder) => isInside(path, folder)),
  );
  return [
    ...folders.flatMap((folder) => ownFolder(folder, since)),
    ...own.flatMap(again),
    ...withoutPaths(newer, beside),
  ];
}

/** The path as it is: also a device or a socket, and nothing where it is gone by now. */
function again(path: string): string[] {
  return ["--dev-bind-try", path, path];
}

function temporaryFolders(): string[] {
  const own = [...TEMPORARY, tmpdir(), `/run/user/${process.getuid?.()}`];
  const real = own.filter(existsSync).map((folder) => realpathSync(folder));
  return [...new Set(real)].sort();
}

/** Paths in these folders that variables of the operator name, such as programs, toolchains and the home folder. */
function namedPaths(folders: readonly string[]): string[] {
  const named = [
    homedir(),
    ...Object.values(process.env).flatMap((text = "") => text.split(delimiter)),
  ];
  const isThere = (path: string) =>
    folders.some((folder) => isInside(folder, path)) && existsSync(path);
  // A program may need what lies beside the folder that it is in.
  return named.filter(isThere).map((path) => (path.endsWith("/bin") ? dirname(path) : path));
}

/** A new folder with what was in the other one by then; of folders in it that something came into since, the older part. */
function ownFolder(folder: string, since: Date): string[] {
  const older = olderIn(folder, since);
  const shown = older.flatMap(({ path, stats }) =>
    stats.isDirectory() && stats.ctimeMs > since.getTime()
      ? olderIn(path, since).map((inner) => inner.path)
      : [path],
  );
  return ["--tmpfs", folder, ...shown.slice(0, SHOWN_AT_MOST).flatMap(again)];
}

/** What was there then, sockets first: what listens there is no file that tests can bring along. */
function olderIn(folder: string, since: Date) {
  const there = entriesOf(folder).flatMap(({ name }) => {
    const path = join(folder, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats === undefined || stats.isSymbolicLink() ? [] : [{ path, stats }];
  });
  const isOld = (ms: number) => ms <= since.getTime();
  return there
    .filter(({ path, stats }) =>
      stats.isDirectory()
        ? isOld(stats.birthtimeMs || stats.ctimeMs) || holdsFile(path, isOld)
        : isOld(stats.ctimeMs),
    )
    .sort((one, other) => Number(other.stats.isSocket()) - Number(one.stats.isSocket()));
}

/** Whether a file in it was last changed then: a folder of a container's image counts as made when something comes into it. */
function holdsFile(folder: string, isThen: (ms: number) => boolean): boolean {
  return entriesOf(folder).some((entry) => {
    const stats = lstatSync(join(folder, entry.name), { throwIfNoEntry: false });
    return stats !== undefined && !stats.isDirectory() && isThen(stats.ctimeMs);
  });
}

/**
 * Leaves out files and whole folders: what holds them is made anew with all else in it. Where that is too much, something
 * empty lies over them.
 */
function withoutPaths(paths: readonly string[], beside: string): string[] {
  const empty = join(beside, "empty");
  if (paths.length > 0) writeFileSync(empty, "");
  const hidden = new Set(paths);
  let left = SHOWN_AT_MOST;
  return [...new Set(paths.map(dirname))].sort().flatMap((parent) => {
    const entries = entriesOf(parent);
    const isHidden = ({ name }: Dirent) => hidden.has(join(parent, name));
    if (entries.length > left) {
      return entries.filter(isHidden).flatMap((entry) => {
        const path = join(parent, entry.name);
        return entry.isDirectory() ? ["--tmpfs", path] : ["--ro-bind", empty, path];
      });
    }
    left -= entries.length;
    const others = entries.filter((entry) => !isHidden(entry));
    return [
      ...["--tmpfs", parent],
      ...others.flatMap((entry) => {
        const path = join(parent, entry.name);
        return entry.isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : again(path);
      }),
    ];
  });
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
