import { realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { LoopError, LoopId, parseLoopId, type Worktree } from "@ccw-loop/core";
import { branchOf } from "../checkpoint/refs.ts";
import type { Repository } from "../git/repository.ts";
import { git } from "../git/run.ts";
import { textOf } from "../raw-path.ts";

/** A worktree of ours, as git knows it. */
export interface KnownWorktree extends Worktree {
  id: string;
  locked: boolean;
}

/** Where the worktrees of a repository's loops are: beside its main one, whichever `repository` was opened in. */
export async function worktreesFolder(repository: Repository): Promise<string> {
  return folderBeside(repository, await gitWorktrees(repository));
}

function folderBeside(repository: Repository, [main]: readonly Listed[]): string {
  const top = main && !main.bare ? main.path : repository.top;
  return join(dirname(top), `${basename(top)}.worktrees`);
}

export function worktreeOf(repository: Repository, folder: string, id: string): Worktree {
  const top = join(folder, parseLoopId(id));
  return { path: resolve(top, repository.prefix), top, branch: branchOf(id) };
}

/** Those in our folder that have a branch of ours; a user may have put others there. */
export async function knownWorktrees(repository: Repository): Promise<KnownWorktree[]> {
  const all = await gitWorktrees(repository);
  const folder = folderBeside(repository, all);
  const real = await realpath(folder).catch(() => folder);
  const branches = ["for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/ccw-loop/"];
  const { stdout } = await git(branches, { cwd: repository.top });
  const ours = new Set(stdout.split("\n"));
  return all.flatMap(({ path, locked }) => {
    const id = LoopId.safeParse(basename(path)).data;
    if (id === undefined || dirname(path) !== real || !ours.has(branchOf(id))) return [];
    return [{ id, locked, ...worktreeOf(repository, real, id) }];
  });
}

/** Throws `invalid_input` when the loop has no worktree. */
export async function requireWorktree(repository: Repository, id: string): Promise<KnownWorktree> {
  const known = await knownWorktrees(repository);
  const found = known.find((worktree) => worktree.id === id);
  if (found) return found;
  const names = known.map((worktree) => worktree.id).join(", ") || "none";
  throw new LoopError(
    "invalid_input",
    `The loop ${id.slice(0, 140)} has no worktree here (there are: ${names}).`,
  );
}

interface Listed {
  path: string;
  bare: boolean;
  locked: boolean;
}

/** The main worktree is the first. */
async function gitWorktrees({ top }: Repository): Promise<Listed[]> {
  const { stdout } = await git(["worktree", "list", "--porcelain"], { cwd: top });
  return stdout
    .split(/\n\n(?=worktree |$)/)
    .filter((block) => block.startsWith("worktree "))
    .map((block) => {
      const end = block.search(/\n(HEAD [0-9a-f]+|bare)(\n|$)/);
      const [path, rest] = [block.slice("worktree ".length, end), block.slice(end)];
      return {
        path: textOf(path),
        bare: /^bare$/m.test(rest),
        locked: /^locked( |$)/m.test(rest),
      };
    });
}

/** Whether a tag or a branch that is not a loop's has the commit. */
export async function isKeptElsewhere({ top }: Repository, commit: string): Promise<boolean> {
  const others = ["--not", "--exclude=ccw-loop/*", "--branches", "--tags", "--remotes"];
  const { stdout } = await git(["rev-list", "--max-count=1", commit, ...others], { cwd: top });
  return stdout === "";
}
