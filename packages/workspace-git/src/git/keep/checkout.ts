import { lstat, mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { emptyFolder } from "../../empty-folder.ts";
import { installedFolders } from "../../lend/installed.ts";
import { lend } from "../../lend/lend.ts";
import { rawOf, textOf } from "../../raw-path.ts";
import type { Opened } from "../opened.ts";
import type { Repository } from "../repository.ts";
import { git } from "../run-git.ts";
import { entriesOf, requireCheckpoint } from "./kept.ts";
import { writeFiles } from "./write-files.ts";

/** The checkpoint's files in a plain folder, with what is installed in the project; the folder that is `cwd` there. */
export async function checkout(
  { repository }: Opened,
  commit: string,
  folder: string,
): Promise<string> {
  const { lfs } = await requireCheckpoint(repository, commit);
  const top = await emptyFolder(folder, repository.top);
  await writeFiles(repository, top, await entriesOf(repository, commit, new Set(lfs)));
  await lend(repository.top, top, await installedIn(repository));
  const cwd = resolve(top, repository.prefix);
  await mkdir(cwd, { recursive: true });
  return cwd;
}

/** Installed folders of the project that git ignores; what it does not ignore is kept like any file. */
export async function installedIn({ top }: Repository): Promise<string[]> {
  return ignoredIn(top, await installedFolders(top));
}

/** Those of the folders that the repository at `top` ignores, there or not. */
export async function ignoredIn(top: string, folders: readonly string[]): Promise<string[]> {
  if (folders.length === 0) return [];
  const input = folders.map(async (folder) => {
    // A pattern may ask for a folder, which a link is not; git takes a slash behind a link for a mistake.
    const found = await lstat(join(top, folder)).catch(() => null);
    return rawOf(found?.isSymbolicLink() ? folder : `${folder}/`);
  });
  const { stdout } = await git(["check-ignore", "-z", "--stdin"], {
    cwd: top,
    input: await Promise.all(input),
    answers: [1],
  });
  return stdout
    .split("\0")
    .filter((path) => path !== "")
    .map((path) => textOf(path).replace(/\/$/, ""));
}
