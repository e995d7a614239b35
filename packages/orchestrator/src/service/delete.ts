import {
  type CleanedWorktree,
  isLoopError,
  LoopError,
  type LoopState,
  orOn,
  type RevisionOptions,
  requireAtRest,
  statusWord,
  toLoopError,
  type Workspace,
  type WorktreeUse,
} from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";
import { rewindBackupId } from "../run/checkpoint.ts";
import { underLease } from "../run/lease.ts";
import { CONFLICT_RETRIES, readAt } from "../run/recorder.ts";

/** See `LoopService.delete`. The store decides; what lies outside of it goes afterwards. */
export async function deleteLoop(
  deps: OrchestratorDeps,
  id: string,
  { revision }: RevisionOptions,
): Promise<void> {
  const reading = readAt(deps.store, id, revision).catch(async (error: unknown) => {
    if (isLoopError(error, "loop_not_found")) {
      await forgetLeftovers(deps, id).catch(() => undefined);
    }
    throw error;
  });
  // One that is there but cannot be read may still be deleted.
  const found = await orOn(reading, ["store_corrupt"], undefined);
  if (found) requireAtRest(found.state, "delete");
  await requireReleased(deps, id);
  if (!found) return deps.store.remove(id, { revision });
  await underLease(deps, id, async () => {
    const state = await removeAtRest(deps, id, revision);
    await forgetFiles(deps, state);
  });
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
  const found = await orOn(store.read(id), ["loop_not_found", "invalid_id"], undefined);
  return found?.state.status ?? null;
}

/** Whoever drives a loop gives it back within moments of its end; so long it is waited for. */
const RELEASE_WAIT_MS = 2000;
const LOOK_EVERY_MS = 50;

/** Throws `loop_busy` when somebody drives the loop and does not let go of it. */
export async function requireReleased(
  { store, clock }: OrchestratorDeps,
  id: string,
): Promise<void> {
  for (let waited = 0; ; waited += LOOK_EVERY_MS) {
    const owner = await store.ownerOf(id);
    if (owner === null) return;
    if (waited >= RELEASE_WAIT_MS) {
      throw new LoopError("loop_busy", `Loop ${id} is still being driven by ${owner}. Try again.`);
    }
    await clock.sleep(LOOK_EVERY_MS);
  }
}
