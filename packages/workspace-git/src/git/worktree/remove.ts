import { rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { LoopError } from "@ccw-loop/core";
import type { OpenRepository } from "../opened.ts";
import { git } from "../run-git.ts";
import { commitOf, isKeptElsewhere } from "./commits.ts";
import { requireWorktree } from "./place.ts";
import { uncommittedFiles } from "./use.ts";

const SHOWN = 5;

/** Removes the worktree; its branch too when the user's branches have all of its commits. */
export async function removeWorktree(
  { repository, objects }: OpenRepository,
  id: string,
  { force }: { force: boolean },
): Promise<void> {
  const worktree = await requireWorktree(repository, id);
  const { top, branch, locked } = worktree;
  if (locked) {
    throw new LoopError(
      "invalid_input",
      `The worktree ${top} is locked. Unlock it first: git worktree unlock ${top}.`,
    );
  }
  const unkept = force ? [] : await uncommittedFiles(worktree, objects);
  if (unkept.length > 0) {
    const more = unkept.length > SHOWN ? ` and ${unkept.length - SHOWN} more` : "";
    throw new LoopError(
      "invalid_input",
      `The worktree ${top} holds files that its branch does not have (${unkept.slice(0, SHOWN).join(", ")}${more}). Commit or move them, or remove it with force.`,
      { details: { paths: unkept } },
    );
  }
  await git(["worktree", "remove", "--force", "--", top], { cwd: repository.top });
  const ref = `refs/heads/${branch}`;
  const tip = await commitOf(repository, ref);
  if (tip && (await isKeptElsewhere(repository, tip))) {
    await git(["update-ref", "-d", ref, tip], { cwd: repository.top });
  }
  // Not the last one: the folder stays.
  await rmdir(dirname(top)).catch(() => undefined);
}
