import { existsSync, lstatSync, mkdirSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { LoopError } from "@ccw-loop/core";
import { foldersUp, isInside, realPath } from "../plain-file.ts";
import type { Containment } from "./mounts.ts";
import { GIT, repositoryAround } from "./repository.ts";

/** Which program is to be contained, and where it works. */
export interface ContainmentSpec {
  /** The project's folder, absolute and without links. */
  cwd: string;
  /** Nothing of the project is to be written. */
  readOnly?: boolean;
  /** Names of files and folders in it that are not to be written. */
  protect: readonly string[];
  /**
   * The program's own files and folders, absolute. A folder that ends with `/` is made where it is missing, as the program would
   * do itself: contained it can write only to what is there. Where there is nothing of all of them, the first is.
   */
  homes: readonly string[];
  /** Folders that are not even to be read. */
  hidden: readonly string[];
  /** It makes sandboxes of its own. */
  nests?: boolean;
  /** The program and its arguments. */
  command: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * Where anybody puts what others may find, and where programs listen: through the socket of a service (a session bus,
 * Docker, tmux) somebody else runs one's commands. A socket does not ask whether its folder can be written to.
 */
const SHARED = ["/tmp", "/var/tmp", "/run"];

/** Root sets the kernel's parameters without any capability. For others it is left open, so that sandboxes work in ours. */
const KERNEL = "/proc/sys";

const OFF = "or let the agent work without a sandbox: --sandbox off";

/**
 * Looks at the disk. Throws `unsafe_path` where a link stands in the place of what is to be protected, and for a folder
 * that is so wide that nothing could be kept.
 */
export function containmentOf(spec: ContainmentSpec): Containment {
  const { cwd, env, protect, readOnly = false } = spec;
  const emptied = [...new Set(SHARED.flatMap(real))];
  const homes = homesOf(spec);
  const writable = readOnly ? homes : [cwd, ...homes];
  const isOpen = (path: string) => writable.some((folder) => isInside(folder, path));
  const isShared = (path: string) => emptied.some((one) => path !== one && isInside(one, path));
  const path = (env.PATH ?? "").split(delimiter).filter(isAbsolute).flatMap(real);
  const { folders, submodules, main } = repositoryAround(cwd);
  // An agent's own file has nothing in it that could be kept.
  const open = writable.filter((place) => statSync(place).isDirectory());
  const tops = main === null ? open : [...open, main];
  const kept = [
    ...tops.flatMap((top) => [GIT, ...protect].map((name) => join(top, name))),
    ...submodules,
  ];
  const needed = [
    ...[...real(env.HOME ?? homedir()), ...path, ...folders],
    ...["/etc/resolv.conf", ...spec.command.filter(isAbsolute)].flatMap((file) =>
      folderOf(file, emptied),
    ),
  ];
  const readable = [
    ...(readOnly ? [cwd] : []),
    ...[...kept.filter(isOpen).flatMap(protectedPlace), ...folders.filter(isOpen)],
    // What the user starts by its name alone.
    ...path.filter((folder) => homes.some((home) => folder !== home && isInside(home, folder))),
    ...(process.getuid?.() === 0 ? [KERNEL] : []),
    ...needed.filter((place) => isShared(place) && !isOpen(place)),
  ];
  const missing = missingRepository(cwd);
  return {
    ...{ cwd, writable, emptied, nests: spec.nests ?? false },
    readable: [...new Set(readable)].filter((place) => !missing.includes(place)),
    hidden: [...spec.hidden.flatMap(real), ...missing],
  };
}

/** The path without links; none where there is nothing. */
function real(path: string): string[] {
  return existsSync(path) ? [realPath(path)] : [];
}

/** Throws `unsafe_path` for one that is too wide, and for one behind a link that the program could have made. */
function homesOf({ cwd, homes: wanted, env }: ContainmentSpec): string[] {
  for (const home of wanted.filter((one) => one.endsWith("/"))) makeFolder(home);
  const [first] = wanted;
  if (first !== undefined && !wanted.some((home) => existsSync(home))) makeFolder(first);
  const there = wanted.filter((home) => existsSync(home)).map((home) => resolve(home));
  const homes = there.flatMap(real);
  const shared = SHARED.flatMap(real);
  const everybodys = [...shared, ...real(env.HOME ?? homedir())];
  const wide =
    homes.find((home) => everybodys.some((place) => isInside(home, place))) ??
    (shared.some((place) => place !== cwd && isInside(cwd, place)) ? cwd : undefined);
  if (wide !== undefined) {
    throw new LoopError(
      "unsafe_path",
      `An agent that may write to ${wide} could write nearly everywhere. Name a folder of its own, ${OFF}`,
    );
  }
  const turned = there.find((home) =>
    linksOn(home).some((place) => [cwd, ...homes].some((folder) => isInside(folder, place))),
  );
  if (turned === undefined) return homes;
  throw new LoopError(
    "unsafe_path",
    `${turned} lies behind a link that the agent could have made. Put a real folder there, ${OFF}`,
  );
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch {
    // Where we cannot make it, the program cannot.
  }
}

/** The real folders of all links on the way to a path. */
function linksOn(path: string): string[] {
  return foldersUp(path).flatMap((place) => {
    if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return [];
    const folder = realPath(dirname(place));
    return [folder, ...linksOn(resolve(folder, readlinkSync(place)))];
  });
}

function protectedPlace(path: string): string[] {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  if (!found.isSymbolicLink() && realPath(path) === path) return [path];
  throw new LoopError(
    "unsafe_path",
    `${path} is a link or lies behind one, so it cannot be kept from the agent. Put a real folder there, ${OFF}`,
  );
}

/** The place of a repository that is not there yet, or was kept empty before. */
function missingRepository(cwd: string): string[] {
  const place = join(cwd, GIT);
  const found = lstatSync(place, { throwIfNoEntry: false });
  const isEmpty = found?.isDirectory() === true && readdirSync(place).length === 0;
  return found === undefined || isEmpty ? [place] : [];
}

/** The folder itself, or that of a file; the file alone where everybody puts things into its folder. */
function folderOf(path: string, emptied: readonly string[]): string[] {
  return real(path).map((place) =>
    statSync(place).isDirectory() || emptied.includes(dirname(place)) ? place : dirname(place),
  );
}
