import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { textOf } from "../../raw-path.ts";
import { findRepository, type Repository } from "../repository.ts";
import { git } from "../run-git.ts";
import { type TreeEntry, treeEntries } from "./kept.ts";
import { writeFiles } from "./write-files.ts";

/**
 * Writes below `top` the files of the submodules among the entries, and of those inside of them, at the commits that the
 * entries name. One that was not initialized in the project, or whose commit is not there, stays an empty folder.
 */
export async function fillSubmodules(
  repository: Repository,
  top: string,
  entries: readonly TreeEntry[],
): Promise<void> {
  for (const { path, mode, name } of entries) {
    if (mode !== "160000") continue;
    const submodule = await submoduleAt(repository, textOf(path));
    if (submodule === null || !(await hasCommit(submodule, name))) continue;
    const folder = join(top, textOf(path));
    const files = await treeEntries(submodule, name, new Set());
    await writeFiles(submodule, folder, files);
    await fillSubmodules(submodule, folder, files);
  }
}

/** Null where no repository of its own lies at the path: then git would find the one around it. */
async function submoduleAt({ top }: Repository, path: string): Promise<Repository | null> {
  const place = await realpath(join(top, path)).catch(() => null);
  const found = place === null ? null : await findRepository(place);
  return found?.top === place ? found : null;
}

async function hasCommit({ top }: Repository, commit: string): Promise<boolean> {
  const { exitCode } = await git(["cat-file", "-e", `${commit}^{commit}`], {
    cwd: top,
    answers: [1, 128],
  });
  return exitCode === 0;
}
