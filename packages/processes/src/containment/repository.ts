import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { foldersUp, realPath } from "../plain-file.ts";

/** The folder of a repository, or a file that says where that is: files in it name programs that git starts. */
export const GIT = ".git";

/** What belongs to the repository around a project, wherever it lies. Absolute, without links. */
export interface RepositoryPlaces {
  /** Git folders: of this working tree, and the one that it shares with others. */
  folders: readonly string[];
  /** The `.git` of every submodule. */
  submodules: readonly string[];
  /** The top of the main working tree; null where there is none. */
  main: string | null;
}

const NONE: RepositoryPlaces = { folders: [], submodules: [], main: null };

/** Reads what git itself reads to find its folders. */
export function repositoryAround(cwd: string): RepositoryPlaces {
  const top = foldersUp(cwd).find((folder) => existsSync(join(folder, GIT)));
  if (top === undefined) return NONE;
  const place = join(top, GIT);
  const named = lineOf(place, /^gitdir: (.+)$/m);
  const own = named === null ? place : resolve(top, named);
  const shared = lineOf(join(own, "commondir"), /^(.+)$/m);
  const common = realPath(shared === null ? own : resolve(own, shared));
  const folders = [realPath(own), common].filter((folder) => existsSync(folder));
  return {
    folders: [...new Set(folders)],
    submodules: modulesIn(join(common, "modules")).map((module) => join(module, GIT)),
    main: common.endsWith(join("/", GIT)) ? dirname(common) : null,
  };
}

/** The working trees of the git folders below a folder: a module may have a path for its name, and modules of its own. */
function modulesIn(folder: string): string[] {
  return foldersIn(folder).flatMap((module) => {
    if (!existsSync(join(module, "HEAD"))) return modulesIn(module);
    const named = lineOf(join(module, "config"), /^\s*worktree = (.+)$/m);
    const tree = named === null ? [] : [resolve(module, named)];
    return [...tree, ...modulesIn(join(module, "modules"))];
  });
}

function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name));
}

/** What a line of a file says; null where there is no such file or line. */
function lineOf(file: string, line: RegExp): string | null {
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return null;
  return line.exec(readFileSync(file, "utf8"))?.[1] ?? null;
}
