import { isLoopError, LoopError, type LoopState, type Workspace } from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";

/** Where a loop's checkpoints can be read: its worktree, or once that is gone the repository it belonged to. */
export async function historyFolder(deps: OrchestratorDeps, id: string): Promise<string> {
  const { path } = (await deps.store.read(id)).state.workspace ?? {};
  return path !== undefined && (await deps.files.isFolder(path)) ? path : deps.cwd;
}

/** Where a loop works: its own worktree, else the project root. Throws `invalid_input` when the worktree is gone. */
export async function loopFolder(deps: OrchestratorDeps, id: string): Promise<string> {
  return folderOf(deps, (await deps.store.read(id)).state);
}

/** The same of a state that was read. */
export async function folderOf(
  deps: OrchestratorDeps,
  { loop_id: id, workspace, checkpoints }: LoopState,
): Promise<string> {
  const { path } = workspace ?? {};
  if (path === undefined) return deps.cwd;
  if (await deps.files.isFolder(path)) return path;
  throw new LoopError(
    "invalid_input",
    `The worktree of loop ${id}, ${path}, is gone. ` +
      `Begin a new loop where it stood with: ccw-loop fork ${id} ${checkpoints?.at(-1)?.n ?? 0}`,
  );
}

/** Throws `workspace_unavailable` where a git repository kept the loop's files that is gone: nothing can be compared then. */
export async function requireKept(workspace: Workspace, { checkpoints }: LoopState): Promise<void> {
  const commit = checkpoints?.at(-1)?.commit;
  if (workspace.kind === "git" || commit === undefined) return;
  await workspace.read(commit, []).catch((error: unknown) => {
    // Without git old checkpoints are forgotten; a loop goes on without them.
    if (!isLoopError(error, "invalid_input")) throw error;
  });
}
