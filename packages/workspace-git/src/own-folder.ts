import { lstat, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LoopError } from "@ccw-loop/core";

/** The path of our folders inside a project; its first part is never part of a tree. */
export const OWN_FOLDER = [".workflow", ".loop"] as const;

/** Whether a path with `/` lies in a folder that belongs to us, of this loop or of one further down. */
export function isOwnPath(path: string): boolean {
  return path.split("/").includes(OWN_FOLDER[0]);
}

/**
 * Makes `.workflow/.loop/{name}`, mode 0700, and answers with its path. Throws `unsafe_path` when a part of
 * it is not a folder of its own but, say, a symbolic link; `store_unavailable` when it cannot be made.
 */
export async function ownFolder(cwd: string, name: string): Promise<string> {
  let folder = cwd;
  for (const part of [...OWN_FOLDER, name]) {
    folder = join(folder, part);
    try {
      await mkdir(folder, { mode: 0o700 });
    } catch (error) {
      await requireFolder(folder, error);
    }
  }
  return folder;
}

/** Such a folder that ignores itself, so that it shows in nobody's `git status`. */
export async function hiddenFolder(cwd: string, name: string): Promise<string> {
  const folder = await ownFolder(cwd, name);
  await writeFile(join(folder, ".gitignore"), "*\n", { flag: "wx" }).catch(() => undefined);
  return folder;
}

async function requireFolder(folder: string, cause: unknown): Promise<void> {
  const found = await lstat(folder).catch(() => null);
  if (found?.isDirectory()) return;
  if (found === null) {
    throw new LoopError(
      "store_unavailable",
      `The folder ${folder} cannot be made. Check its rights.`,
      {
        cause,
      },
    );
  }
  throw new LoopError(
    "unsafe_path",
    `${folder} is not a folder of its own (a link or a file). Remove it, or run the loop elsewhere.`,
  );
}
