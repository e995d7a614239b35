import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { WorktreeUse } from "@ccw-loop/core";
import { textOf } from "../../raw-path.ts";
import type { OpenRepository } from "../opened.ts";
import { objectFolders, withPrivateIndex } from "../private-index.ts";
import { findRepository } from "../repository.ts";
import { git } from "../run-git.ts";
import { commitTree } from "./commit-tree.ts";
import { commitOf } from "./commits.ts";
import { type KnownWorktree, knownWorktrees } from "./place.ts";

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
  const tip =
    (await commitOf(there, `refs/heads/${branch}`)) ?? (await commitOf(there, "HEAD")) ?? "HEAD";
  return withPrivateIndex({ repository: there, objects }, async (index) => {
    const { name, leftOut, foreign } = await commitTree(index, null);
    const args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", tip, name];
    const { stdout } = await git(args, { cwd: top, env: objectFolders(there, objects) });
    const differing = stdout.split("\0").filter((path) => path !== "");
    return [...new Set([...differing, ...leftOut.keys(), ...foreign.keys()])].map(textOf);
  });
}

/** Git writes the file `.git` of a worktree once. */
async function madeAt(top: string): Promise<string | null> {
  const file = await lstat(join(top, ".git")).catch(() => null);
  return file?.mtime.toISOString() ?? null;
}

/** Of regular files; what is lent are links. */
async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  let bytes = 0;
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += await bytesIn(path);
    else if (entry.isFile()) bytes += (await lstat(path).catch(() => null))?.size ?? 0;
  }
  return bytes;
}
