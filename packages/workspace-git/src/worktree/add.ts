import { mkdir, realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { isLoopError, LoopError, type Worktree } from "@ccw-loop/core";
import { requireCheckpoint, treeEntries } from "../checkpoint/entries.ts";
import { restore } from "../checkpoint/restore.ts";
import { writeFiles } from "../checkpoint/write-files.ts";
import { ignoredIn, installedIn } from "../clean-room/checkout.ts";
import { linkInstalled } from "../clean-room/link-dependencies.ts";
import { shareObjects } from "../folders.ts";
import { isGitRefusal } from "../git/errors.ts";
import { commitOf, type Repository, requireRepository } from "../git/repository.ts";
import { git } from "../git/run.ts";
import { LFS } from "../measure/lfs.ts";
import { filtersOf } from "../measure/lfs-files.ts";
import { type OpenRepository, openRepository } from "../measure/open-repository.ts";
import { worktreeOf, worktreesFolder } from "./place.ts";
import { isThere } from "./remove.ts";

/** Makes the worktree, or nothing at all. */
export async function addWorktree(
  { repository, objects }: OpenRepository,
  id: string,
  commit: string | null,
): Promise<Worktree> {
  const { top } = repository;
  const worktree = worktreeOf(repository, await worktreesFolder(repository), id);
  const base = await baseOf(repository, commit);
  await requireFree(repository, worktree);
  await makeParent(dirname(worktree.top));
  await addOrAgain(repository, worktree, base);
  try {
    const real = await realpath(worktree.top);
    const opened = openRepository(await requireRepository(real), objects);
    await git(["read-tree", base], { cwd: real });
    await writeCommitted(opened.repository, base);
    if (commit !== null) await restore(opened, commit);
    await linkInstalled(top, real, await ignoredIn(real, await installedIn(repository)));
    const made = worktreeOf(repository, dirname(real), id);
    await mkdir(made.path, { recursive: true });
    await shareObjects(made.path, objects);
    return made;
  } catch (error) {
    if (!(await isThere(worktree.top))) throw removedMeanwhile(id, error);
    await git(["worktree", "remove", "--force", worktree.top], { cwd: top });
    await git(["update-ref", "-d", `refs/heads/${worktree.branch}`, base], { cwd: top });
    throw error;
  }
}

/** How often git is asked once more: it fails where another worktree of the repository is just being made. */
const TRIES = 5;

async function addOrAgain({ top }: Repository, worktree: Worktree, base: string): Promise<void> {
  // Git would run the filters of a configuration that may be another one in the new working tree.
  const add = ["worktree", "add", "--quiet", "--no-track", "--no-checkout", "-b", worktree.branch];
  for (let tries = 1; ; tries += 1) {
    try {
      await git([...add, "--", worktree.top, base], { cwd: top });
      return;
    } catch (error) {
      if (!isGitRefusal(error) || isTaken(error)) throw error;
      // It may have made the branch before it failed.
      const drop = ["update-ref", "-d", `refs/heads/${worktree.branch}`, base];
      await git(drop, { cwd: top, answers: [1, 128] });
      if (tries >= TRIES || (await isThere(worktree.top))) throw error;
    }
  }
}

/** Whether somebody made the branch or the folder since they were looked for. */
function isTaken(error: unknown): boolean {
  return isLoopError(error) && /already exists/.test(String(error.details.stderr));
}

function removedMeanwhile(id: string, cause: unknown): LoopError {
  return new LoopError(
    "workspace_changed",
    `The worktree of loop ${id} was removed while it was being made. Make it again.`,
    { cause },
  );
}

/** The commit that the branch starts at. */
async function baseOf(repository: Repository, commit: string | null): Promise<string> {
  const head =
    commit === null
      ? await commitOf(repository, "HEAD")
      : (await requireCheckpoint(repository, commit)).head;
  if (head !== null) return head;
  throw new LoopError(
    "invalid_input",
    `The repository at ${repository.top} ${commit === null ? "has" : "had"} no commit yet, and a worktree starts at one. Commit first (git add and git commit), or run the loop without a worktree.`,
  );
}

async function requireFree(repository: Repository, { top, branch }: Worktree): Promise<void> {
  // A branch named `ccw-loop` leaves no room for those below it.
  for (const taken of [branch, branch.split("/")[0] ?? ""]) {
    if ((await commitOf(repository, `refs/heads/${taken}`)) === null) continue;
    throw new LoopError(
      "invalid_input",
      `The branch ${taken} exists already. Remove or rename it (git branch -m ${taken} NEW), or take another loop id.`,
    );
  }
  if (await isThere(top)) {
    throw new LoopError(
      "invalid_input",
      `The folder ${top} exists already. Remove it, or take another loop id.`,
    );
  }
}

async function makeParent(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true }).catch((cause: unknown) => {
    const message = `The folder ${folder} cannot be made. Check the rights beside the repository.`;
    throw new LoopError("store_unavailable", message, { cause });
  });
}

/** Writes the files of a commit into its fresh worktree, with the content that git-lfs has in place of its pointers. */
export async function writeCommitted(repository: Repository, commit: string): Promise<void> {
  const entries = await treeEntries(repository, commit, new Set());
  const drivers = await filtersOf(
    repository,
    entries.map(({ path }) => path),
  );
  const files = entries.map((entry) => ({
    ...entry,
    lfs: entry.mode.startsWith("100") && drivers.get(entry.path) === LFS,
  }));
  await writeFiles(repository, repository.top, files);
}
