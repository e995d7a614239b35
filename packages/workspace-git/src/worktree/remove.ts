import { lstat, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { firstOf, LoopError, type WorktreeUse } from "@ccw-loop/core";
import { requireTreeOf } from "../checkpoint/commit-object.ts";
import { commitOf, findRepository } from "../git/repository.ts";
import { git } from "../git/run.ts";
import { treeDifferences } from "../git/trees.ts";
import { type OpenRepository, openRepository } from "../measure/open-repository.ts";
import { filesBelow } from "../plain-files/scan.ts";
import { textOf } from "../raw-path.ts";
import { commitTree } from "./commit.ts";
import { isKeptElsewhere, type KnownWorktree, knownWorktrees, requireWorktree } from "./place.ts";

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
    throw new LoopError(
      "invalid_input",
      `The worktree ${top} holds files that its branch does not have (${firstOf(unkept, SHOWN)}). Commit or move them, or remove it with force.`,
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

/** Our worktrees with what they take and hold. */
export async function worktreesInUse({
  repository,
  objects,
}: OpenRepository): Promise<WorktreeUse[]> {
  const found: WorktreeUse[] = [];
  for (const worktree of await knownWorktrees(repository)) {
    try {
      found.push(await useOf(worktree, objects));
    } catch (error) {
      // Somebody may have removed it since it was listed.
      if (await isThere(worktree.top)) throw error;
    }
  }
  return found;
}

async function useOf(worktree: KnownWorktree, objects: string): Promise<WorktreeUse> {
  const { id, path, branch, top } = worktree;
  const dirty = (await uncommittedFiles(worktree, objects)).length > 0;
  const made_at = await madeAt(top);
  return { id, path, branch, top, bytes: await bytesIn(top), dirty, made_at };
}

export async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}

/** Files, from the top, that would be lost with the worktree: its branch has others, or none. */
export async function uncommittedFiles(
  { top, branch }: KnownWorktree,
  objects: string,
): Promise<string[]> {
  const there = await findRepository(top);
  if (there === null) return [];
  const opened = openRepository(there, objects);
  const { repository } = opened;
  const tip = (await commitOf(there, `refs/heads/${branch}`)) ?? (await commitOf(there, "HEAD"));
  const before = tip === null ? null : await requireTreeOf(repository, tip);
  const { name, leftOut, foreign } = await commitTree(opened, tip);
  const differing = await treeDifferences(repository, before, name);
  const inside = await opened.measure.repositoriesInside();
  const differ = differing.map(({ path }) => path);
  const paths = [...differ, ...leftOut.keys(), ...foreign.keys(), ...inside];
  return [...new Set(paths)].map(textOf);
}

/** Git writes the file `.git` of a worktree once. */
async function madeAt(top: string): Promise<string | null> {
  const file = await lstat(join(top, ".git")).catch(() => null);
  return file?.mtime.toISOString() ?? null;
}

/** Of regular files; what is installed are links. */
async function bytesIn(folder: string): Promise<number> {
  const found = await filesBelow(folder, [""], () => false);
  const sizes = found.map(({ stats }) => (stats.isFile() ? Number(stats.size) : 0));
  return sizes.reduce((sum, size) => sum + size, 0);
}
