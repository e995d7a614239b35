import {
  type CleanedWorktree,
  isLoopError,
  type LoopState,
  statusWord,
  type WorktreeUse,
} from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";
import { underLease } from "../run/under-lease.ts";
import { forgetCheckpoints } from "./delete.ts";

/** A worktree comes before its loop: for so long one without a loop may be one that is being made. */
const BEING_MADE_MS = 10 * 60 * 1000;

interface CleanOptions {
  dryRun?: boolean;
  force?: boolean;
}

/** Removes the worktrees that nobody needs any more; says of each other one why it stays. */
export async function cleanWorktrees(
  deps: OrchestratorDeps,
  { dryRun = false, force = false }: CleanOptions,
): Promise<CleanedWorktree[]> {
  const workspace = await deps.workspace(deps.cwd);
  if (workspace.lacks.length > 0) return [];
  const cleaned: CleanedWorktree[] = [];
  for (const found of await workspace.worktrees()) {
    const look = async () => {
      const status = await statusOf(deps, found.id);
      return { status, reason: whyItStays(found, status, { force, now: deps.clock.now() }) };
    };
    let { status, reason } = await look();
    let removed = false;
    const remove = async () => {
      // The loop may have been taken up again until we had its lease.
      ({ status, reason } = await look());
      if (reason !== null) return;
      await workspace.removeWorktree(found.id, { force });
      if (status === null) await forgetCheckpoints(workspace, found.id);
      removed = true;
    };
    if (reason === null && !dryRun) {
      reason = (await whileNobodyDrives(deps, found.id, status, remove)) ?? reason;
    }
    cleaned.push({ ...found, status, removed, reason });
  }
  return cleaned;
}

/** Why it could not be done; null when it was. A loop that is gone has no lease. */
async function whileNobodyDrives(
  deps: OrchestratorDeps,
  id: string,
  status: LoopState["status"] | null,
  act: () => Promise<void>,
): Promise<string | null> {
  try {
    await (status === null ? act() : underLease(deps, id, act));
    return null;
  } catch (error) {
    if (isLoopError(error, "loop_busy")) return error.message;
    throw error;
  }
}

function whyItStays(
  { dirty, made_at }: WorktreeUse,
  status: LoopState["status"] | null,
  { force, now }: { force: boolean; now: Date },
): string | null {
  if (status !== null && status !== "completed" && status !== "failed") {
    return `The loop is ${statusWord({ status })}.`;
  }
  if (force) return null;
  const age = made_at === null ? BEING_MADE_MS : now.getTime() - Date.parse(made_at);
  if (status === null && age < BEING_MADE_MS) {
    return "It was made a moment ago and its loop may follow; --force removes it.";
  }
  return dirty ? "It holds files that its branch does not have; --force removes them too." : null;
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
