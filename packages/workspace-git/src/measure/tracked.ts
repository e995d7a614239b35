import { readdirSync } from "node:fs";
import { stat } from "node:fs/promises";
import { stampOf } from "../file-digest.ts";
import { isOwnPath } from "../folders.ts";
import type { Repository } from "../git/repository.ts";
import { git } from "../git/run.ts";
import { fileAt, lstatOf, type RawPath, records } from "../raw-path.ts";

/** Which paths the user's index names. What it says about their content is not asked: anybody can write it. */
export interface Tracked {
  /** Mode by path, submodules among them; an entry that a sparse checkout leaves out is not here. */
  modes: ReadonlyMap<RawPath, string>;
  /** Submodules with the commits that the index has. */
  submodules: ReadonlyMap<RawPath, string>;
  /** Entries that the index marks as left out of the working tree (a sparse checkout), as it has them. */
  sparse: ReadonlyMap<RawPath, { mode: string; name: string }>;
  /** Folders that hold a tracked file. */
  folders: ReadonlySet<RawPath>;
}

const LIST = ["ls-files", "-z", "-v", "-s", "--cached"];

/** Reads the index again only when it is another file, or was written. */
export class TrackedFiles {
  readonly #repository: Repository;
  #known: { stamp: string; tracked: Tracked } | null = null;

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  async read(): Promise<Tracked> {
    const { index, top } = this.#repository;
    const found = await stat(index, { bigint: true }).catch(() => null);
    const stamp = found ? stampOf(found) : "";
    if (this.#known?.stamp === stamp) return this.#known.tracked;
    const { stdout } = await git(LIST, { cwd: top });
    const tracked = parseTracked(stdout);
    this.#known = { stamp, tracked };
    return tracked;
  }
}

/** Parses `git ls-files -z -v -s`. */
export function parseTracked(stdout: string): Tracked {
  const modes = new Map<RawPath, string>();
  const submodules = new Map<RawPath, string>();
  const sparse = new Map<RawPath, { mode: string; name: string }>();
  const folders = new Set<RawPath>();
  for (const record of records(stdout)) {
    const tab = record.indexOf("\t");
    const path = record.slice(tab + 1);
    if (isOwnPath(path)) continue;
    const [tag = "", mode = "", name = ""] = record.slice(0, tab).split(" ");
    if (tag.toUpperCase() === "S") sparse.set(path, { mode, name });
    else {
      // An unmerged path comes once for each side.
      modes.set(path, mode);
      if (mode === "160000") submodules.set(path, name);
    }
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return { modes, submodules, sparse, folders };
}

/** Whether a path may be a submodule: a repository of its own lies there, or nothing does (it is not initialized). */
export function mayBeSubmodule(top: string, path: RawPath): boolean {
  const found = lstatOf(fileAt(top, path));
  if (!found?.isDirectory()) return found === undefined;
  return lstatOf(fileAt(top, `${path}/.git`)) !== undefined || isEmptyFolder(fileAt(top, path));
}

function isEmptyFolder(folder: Buffer): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch {
    return false;
  }
}
