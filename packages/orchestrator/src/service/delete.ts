import {
  isLoopError,
  LoopError,
  type LoopState,
  type RevisionOptions,
  requireAtRest,
  toLoopError,
  type Workspace,
} from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";
import { CONFLICT_RETRIES, readAt } from "../run/recorder.ts";
import { rewindBackupId } from "../run/restore.ts";
import { underLease } from "../run/under-lease.ts";
import { requireReleased } from "./at-rest.ts";

/** See `LoopService.delete`. The store decides; what lies outside of it goes afterwards. */
export async function deleteLoop(
  deps: OrchestratorDeps,
  id: string,
  { revision }: RevisionOptions,
): Promise<void> {
  const found = await readable(deps, id, revision).catch(async (error: unknown) => {
    if (isLoopError(error, "loop_not_found")) {
      await forgetLeftovers(deps, id).catch(() => undefined);
    }
    throw error;
  });
  if (found) requireAtRest(found, "delete");
  await requireReleased(deps, id);
  if (!found) return deps.store.remove(id, { revision });
  await underLease(deps, id, async () => {
    const state = await removeAtRest(deps, id, revision);
    await forgetFiles(deps, state);
  });
}

/** The state; undefined for a loop that is there but cannot be read, which may still be deleted. */
async function readable(
  { store }: OrchestratorDeps,
  id: string,
  revision: number | undefined,
): Promise<LoopState | undefined> {
  try {
    return (await readAt(store, id, revision)).state;
  } catch (error) {
    if (isLoopError(error, "store_corrupt")) return undefined;
    throw error;
  }
}

/** Removes the loop from the store as it was when its files were looked at, and answers with that state. */
async function removeAtRest(
  deps: OrchestratorDeps,
  id: string,
  named: number | undefined,
): Promise<LoopState> {
  for (let tries = 0; ; tries++) {
    const { state, revision } = await readAt(deps.store, id, named);
    requireAtRest(state, "delete");
    await requireNothingUnsaved(deps, state);
    try {
      await deps.store.remove(id, { revision });
      return state;
    } catch (error) {
      const again = named === undefined && tries < CONFLICT_RETRIES;
      if (!again || !isLoopError(error, "revision_conflict")) throw error;
    }
  }
}

/** Throws `invalid_input` for a worktree with files that nobody else has. */
async function requireNothingUnsaved(deps: OrchestratorDeps, state: LoopState): Promise<void> {
  const worktree = await worktreeOf(deps, state);
  if (!worktree?.dirty) return;
  const { loop_id: id } = state;
  throw new LoopError(
    "invalid_input",
    `The worktree of loop ${id}, ${worktree.top}, holds files that its branch ${worktree.branch} does not have. ` +
      `Commit or move them, or drop them with: git worktree remove --force ${worktree.top}. Then delete the loop again.`,
  );
}

async function worktreeOf(deps: OrchestratorDeps, state: LoopState) {
  if (state.workspace?.branch === undefined) return undefined;
  const workspace = await deps.workspace(deps.cwd);
  return (await workspace.worktrees()).find(({ id }) => id === state.loop_id);
}

/** The worktree of a loop that is gone, where it still has it, and its checkpoints. */
async function forgetFiles(deps: OrchestratorDeps, state: LoopState): Promise<void> {
  const { loop_id: id } = state;
  try {
    const workspace = await deps.workspace(deps.cwd);
    if (await worktreeOf(deps, state)) await workspace.removeWorktree(id, { force: false });
    await forgetCheckpoints(workspace, id);
  } catch (error) {
    const { code, message } = toLoopError(error);
    throw new LoopError(
      code,
      `Loop ${id} is deleted, but its worktree or its checkpoints are left: ${message} Then remove what is left with: ccw-loop clean`,
      { cause: error },
    );
  }
}

/** What a delete that was cut off left behind. A worktree without a loop may be one that is being made: `clean` judges. */
async function forgetLeftovers(deps: OrchestratorDeps, id: string): Promise<void> {
  const workspace = await deps.workspace(deps.cwd);
  const isMade = (await workspace.worktrees()).some((worktree) => worktree.id === id);
  if (!isMade) await forgetCheckpoints(workspace, id);
}

export async function forgetCheckpoints(workspace: Workspace, id: string): Promise<void> {
  await workspace.forget(id);
  await workspace.forget(rewindBackupId(id));
}
