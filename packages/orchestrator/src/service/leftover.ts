import { LoopError, type Workspace } from "@ccw-loop/core";

/** A worktree comes before its loop. Throws `loop_exists` for one of an attempt that was cut off, or is under way. */
export async function requireNoLeftover(workspace: Workspace, id: string): Promise<void> {
  const left = (await workspace.worktrees()).find((worktree) => worktree.id === id);
  if (!left) return;
  throw new LoopError(
    "loop_exists",
    `There is a worktree for loop ${id}, ${left.top}, but no loop: somebody is making it, or was cut off. ` +
      "In the second case remove it with: ccw-loop clean --force, and give the same command again.",
  );
}
