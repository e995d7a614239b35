import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** Where a project keeps its loops. */
export const loopFolder = (root: string) => join(root, ".workflow", ".loop");

/**
 * The project that `cwd` lies in: the nearest folder upwards that keeps loops already or is a repository,
 * else `cwd` itself.
 */
export function projectRoot(cwd: string): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(loopFolder(folder)) || existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return cwd;
  }
}
