import { constants } from "node:fs";
import { copyFile, mkdtemp, rm, stat, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFilters } from "./filters.ts";
import { plan, type Run } from "./plan.ts";
import type { Repository } from "./repository.ts";
import { git } from "./run-git.ts";

/**
 * Writes the working tree as a tree object into `objects` and answers with its name. Works on a copy of the
 * user's index, so that only files which differ from it are read; their contents are named, not stored.
 */
export async function snapshot(repository: Repository, objects: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "ccw-loop-index-"));
  try {
    const index = join(folder, "index");
    await copyIndex(repository.index, index);
    const filters = await findFilters(repository.top);
    const run: Run = (args, more = {}) =>
      git(args, {
        cwd: repository.top,
        config: filters.config,
        env: { GIT_INDEX_FILE: index, ...objectFolders(repository, objects) },
        ...more,
      });
    const { records, read } = await plan(repository, filters, run);
    if (records.length > 0) await run(["update-index", "-z", "--index-info"], { input: records });
    if (read.length > 0) {
      const args = [
        "update-index",
        "--add",
        "--remove",
        "--replace",
        "--info-only",
        "-z",
        "--stdin",
      ];
      await run(args, { input: read });
    }
    return (await run(["write-tree", "--missing-ok"])).stdout.trim();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** New objects go to our own folder; the repository's own are only read. */
export function objectFolders(
  { objects: theirs }: Repository,
  objects: string,
): Record<string, string> {
  return {
    GIT_OBJECT_DIRECTORY: objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(theirs),
  };
}

/**
 * Git takes a file for unchanged when its time is older than the index. A copy must not be younger than its
 * original: what was changed in between would be missed.
 */
async function copyIndex(from: string, to: string): Promise<void> {
  const found = await stat(from).catch(() => null);
  if (found === null) return;
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  const seconds = (Math.floor(found.mtimeMs) - 1) / 1000;
  await utimes(to, seconds, seconds);
}
