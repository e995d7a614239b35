import { isLoopError, type LoopState, type WorktreeUse } from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";
import type { CleanedWorktree } from "./loop-service.ts";

/** Removes the worktrees that nobody needs any more; says of each other one why it stays. */
export async function cleanWorktrees(
  deps: OrchestratorDeps,
  { dryRun = false, force = false }: { dryRun?: boolean; force?: boolean },
): Promise<CleanedWorktree[]> {
  const workspace = await deps.workspace(deps.cwd);
  if (workspace.lacks.length > 0) return [];
  const cleaned: CleanedWorktree[] = [];
  for (const found of await workspace.worktrees()) {
    const status = await statusOf(deps, found.id);
    const reason = whyItStays(found, status, force);
    const entry: CleanedWorktree = { ...found, status, removed: false, reason };
    if (reason === null && !dryRun) {
      await workspace.removeWorktree(found.id, { force });
      entry.removed = true;
    }
    cleaned.push(entry);
  }
  return cleaned;
}

function whyItStays(
  { dirty }: WorktreeUse,
  status: LoopState["status"] | null,
  force: boolean,
): string | null {
  if (status !== null && status !== "completed" && status !== "failed") {
    return `The loop is ${status}.`;
  }
  if (dirty && !force)
    return "It holds files that its branch does not have; --force removes them too.";
  return null;
}

async function statusOf(
  { store }: OrchestratorDeps,
  id: string,
): Promise<LoopState["status"] | null> {
  try {
    return (await store.read(id)).state.status;
  } catch (error) {
    if (isLoopError(error, "loop_not_found", "invalid_id")) return null;
    throw error;
  }
}
