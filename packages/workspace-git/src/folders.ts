import { lstat, mkdir, readdir, realpath, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { LoopError } from "@ccw-loop/core";
import { isInside } from "@ccw-loop/processes/plain-file";
import { quotedPath } from "./raw-path.ts";

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
    const made = await makePlainFolder(folder, 0o700).catch((cause: unknown) => {
      const message = `The folder ${folder} cannot be made. Check its rights.`;
      throw new LoopError("store_unavailable", message, { cause });
    });
    if (made === "blocked") throw notPlain(folder);
  }
  return folder;
}

/** Such a folder that ignores itself, so that it shows in nobody's `git status`. */
export async function hiddenFolder(cwd: string, name: string): Promise<string> {
  const folder = await ownFolder(cwd, name);
  await writeFile(join(folder, ".gitignore"), "*\n", { flag: "wx" }).catch(() => undefined);
  return folder;
}

/** Makes a folder where none is. `blocked` is one where a link or a file lies; throws Node's error where it cannot be made. */
export async function makePlainFolder(
  folder: string | Buffer,
  mode = 0o777,
): Promise<"made" | "there" | "blocked"> {
  try {
    await mkdir(folder, { mode });
    return "made";
  } catch (error) {
    const found = await lstat(folder).catch(() => null);
    if (found === null) throw error;
    return found.isDirectory() ? "there" : "blocked";
  }
}

function notPlain(folder: string): LoopError {
  return new LoopError(
    "unsafe_path",
    `${folder} is not a folder of its own (a link or a file). Remove it, or run the loop elsewhere.`,
  );
}

/** Tree objects that the repository does not have are kept in `.workflow/.loop/.objects`. */
const FOLDER = ".objects";

export function objectsFolder(cwd: string): Promise<string> {
  return hiddenFolder(cwd, FOLDER);
}

/** Lets the workspace of `cwd` also compare with the trees that another one has measured. */
export async function shareObjects(cwd: string, others: string): Promise<void> {
  const info = join(await objectsFolder(cwd), "info");
  await mkdir(info, { recursive: true });
  await writeFile(join(info, "alternates"), `${quotedPath(others)}\n`);
}

/** Makes a folder for a checkout; its real path. Throws `invalid_input` when it holds something or lies inside `project`. */
export async function emptyFolder(folder: string, project: string): Promise<string> {
  const wanted = resolve(folder);
  try {
    await mkdir(wanted, { recursive: true });
    if ((await readdir(wanted)).length > 0) throw refused(wanted, "is not empty");
  } catch (error) {
    if (error instanceof LoopError) throw error;
    throw new LoopError("invalid_input", `${wanted} cannot be made. Take another folder.`, {
      cause: error,
    });
  }
  const real = await realpath(wanted);
  if (isInside(await realpath(project), real)) throw refused(wanted, "lies inside the project");
  return real;
}

function refused(folder: string, why: string): LoopError {
  return new LoopError("invalid_input", `${folder} ${why}. Take an empty folder elsewhere.`);
}
