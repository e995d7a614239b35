import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

/** Where a project keeps its loops. */
export const loopFolder = (root: string) => join(root, ".workflow", ".loop");

/** Where the processes of a project's loops are registered. */
export const processFolder = (root: string) => join(loopFolder(root), ".processes");

/**
 * The project that `cwd` lies in: the nearest folder upwards that keeps loops already or is a repository,
 * else `cwd` itself. A loop's own worktree belongs to the project that keeps the loop.
 */
export function projectRoot(cwd: string): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(loopFolder(folder)) || isRepository(folder)) return homeOf(folder);
    if (dirname(folder) === folder) return cwd;
  }
}

/** An empty `.git` is none: a sandbox leaves such a folder where it kept an agent from making one. */
function isRepository(folder: string): boolean {
  const git = join(folder, ".git");
  const found = statSync(git, { throwIfNoEntry: false });
  return (
    found?.isFile() === true || (found?.isDirectory() === true && existsSync(join(git, "HEAD")))
  );
}

/** `PROJECT/app` for `PROJECT.worktrees/ID/app` where that is the worktree of its loop ID, else the folder itself. */
function homeOf(folder: string): string {
  const [, top, id, inside = ""] = /^(.+)\.worktrees[\\/]([^\\/]+)([\\/].*)?$/.exec(folder) ?? [];
  if (top === undefined) return folder;
  const home = `${top}${inside}`;
  return existsSync(join(loopFolder(home), `${id}.json`)) ? home : folder;
}
