import type { LoopState } from "@ccw-loop/core";

/** The folder and the branch of a loop that works in a worktree of its own. */
export function worktreeOf({ workspace }: LoopState): { path: string; branch: string } | null {
  const { path, branch } = workspace ?? {};
  return path === undefined || branch === undefined ? null : { path, branch };
}

export function worktreeLines(state: LoopState): string[] {
  const worktree = worktreeOf(state);
  return worktree === null ? [] : [worktree.path, `branch ${worktree.branch}`];
}
