import { existsSync, lstatSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { LoopError } from "@ccw-loop/core";
import { isInside } from "../plain-file.ts";
import type { Containment } from "./mounts.ts";

/** Which program is to be contained, and where it works. */
export interface ContainmentSpec {
  /** The project's folder, absolute and without links. */
  cwd: string;
  /** Names of files and folders in it that are not to be written. */
  protect: readonly string[];
  /** The program's own files and folders, absolute. Where none of them is there, the first is made. */
  homes: readonly string[];
  /** Folders that are not even to be read. */
  hidden: readonly string[];
  /** The program and its arguments. */
  command: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * Where anybody puts what others may find, and where programs listen: through the socket of a service (a session bus,
 * Docker, tmux) somebody else runs one's commands. A socket does not ask whether its folder can be written to.
 */
const SHARED = ["/tmp", "/var/tmp", "/run"];

/** The folder of a repository: one file in it names programs that git starts, another leads to such a file. */
const GIT = ".git";

/** Root sets the kernel's parameters without any capability. For others it is left open, so that sandboxes work in ours. */
const KERNEL = "/proc/sys";

/** Looks at the disk. Throws `unsafe_path` where a link stands in the place of what is to be protected. */
export function containmentOf(spec: ContainmentSpec): Containment {
  const { cwd, env } = spec;
  const emptied = [...new Set(SHARED.flatMap(real))];
  const homes = homesOf(spec.homes);
  const inHome = (path: string) => homes.some((home) => isInside(home, path));
  const isShared = (path: string) =>
    emptied.some((folder) => path !== folder && isInside(folder, path));
  const path = (env.PATH ?? "").split(delimiter).filter(isAbsolute).flatMap(real);
  const needed = [
    ...real(env.HOME ?? homedir()),
    ...path,
    ...["/etc/resolv.conf", ...spec.command.filter(isAbsolute)].flatMap((file) =>
      folderOf(file, emptied),
    ),
  ];
  return {
    cwd,
    writable: [cwd, ...homes],
    readable: [
      ...new Set([
        ...[GIT, ...spec.protect].flatMap((name) => protectedPlace(join(cwd, name))),
        // What the user starts by its name alone.
        ...path.filter((folder) => inHome(folder) && !homes.includes(folder)),
        ...(process.getuid?.() === 0 ? [KERNEL] : []),
        ...needed.filter((place) => isShared(place) && place !== cwd && !homes.includes(place)),
      ]),
    ],
    emptied,
    hidden: spec.hidden.flatMap(real),
  };
}

/** The path without links; none where there is nothing. */
function real(path: string): string[] {
  return existsSync(path) ? [realpathSync(path)] : [];
}

function homesOf(wanted: readonly string[]): string[] {
  const there = wanted.flatMap(real);
  const [first] = wanted;
  if (there.length > 0 || first === undefined) return there;
  mkdirSync(first, { recursive: true, mode: 0o700 });
  return real(first);
}

function protectedPlace(path: string): string[] {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  if (!found.isSymbolicLink() && realpathSync(path) === path) return [path];
  throw new LoopError(
    "unsafe_path",
    `${path} is a link or lies behind one, so it cannot be kept from the agent. Put a real folder there, or let the agent work without a sandbox: --sandbox off`,
  );
}

/** The folder itself, or that of a file; the file alone where everybody puts things into its folder. */
function folderOf(path: string, emptied: readonly string[]): string[] {
  return real(path).map((place) =>
    statSync(place).isDirectory() || emptied.includes(dirname(place)) ? place : dirname(place),
  );
}
