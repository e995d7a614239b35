import { mkdir, realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { LoopError, type Worktree } from "@ccw-loop/core";
import { linkInstalled } from "../../lend/lend.ts";
import { findFilters } from "../filters.ts";
import { ignoredIn, installedIn } from "../keep/checkout.ts";
import { requireCheckpoint } from "../keep/kept.ts";
import { blobNameCache } from "../keep/raw-names.ts";
import { restore } from "../keep/restore.ts";
import { fillFromLfs } from "../lfs/fill.ts";
import { shareObjects } from "../objects-folder.ts";
import type { OpenRepository } from "../opened.ts";
import { type Repository, requireRepository } from "../repository.ts";
import { git } from "../run-git.ts";
import { commitOf } from "./commits.ts";
import { worktreeOf, worktreesFolder } from "./place.ts";
import { isThere } from "./use.ts";

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
  const { config } = await findFilters(top);
  const add = ["worktree", "add", "--quiet", "--no-track", "-b", worktree.branch];
  await git([...add, "--", worktree.top, base], { cwd: top, config });
  try {
    const real = await realpath(worktree.top);
    const there = await requireRepository(real);
    const opened = { repository: there, objects, names: blobNameCache(there) };
    if (commit === null) await fillFromLfs(opened, base);
    else await restore(opened, commit);
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
