import {
  isLoopError,
  LoopError,
  type LoopState,
  orOn,
  type TreeClaim,
  type TreeHolder,
  type Workspace,
  type Worktree,
} from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";
import { cloneOf, type Place, takeClone } from "./clones.ts";
import { type HeldLease, underLease, whileRenewed } from "./lease.ts";
import type { Recorder } from "./recorder.ts";

/**
 * Claims the folder in which a loop works. Where another loop works there, one that has not begun gets a worktree of
 * its own; any other is refused with `workspace_busy`, and with what to do.
 */
export async function takePlace(
  deps: OrchestratorDeps,
  lease: HeldLease,
  recorder: Recorder,
  signal: AbortSignal | undefined,
): Promise<Place> {
  const { id } = lease.lease;
  const { state } = await deps.store.read(id);
  const repository = state.settings?.repository;
  if (repository) return takeClone(deps, { lease, recorder, signal }, { state, repository });
  const cwd = await folderOf(deps, state);
  const workspace = await deps.workspace(cwd);
  try {
    return { cwd, workspace, claim: await claimFor(deps, id, workspace) };
  } catch (error) {
    if (!isLoopError(error, "workspace_busy")) throw error;
    const holder = holderIn(error);
    if (!canMove(state, workspace)) throw refused(error, state, workspace.lacks.at(-1));
    const renewals = [() => lease.renew()];
    const made = await whileRenewed(deps, renewals, () => worktreeFor(workspace, id));
    if (made instanceof LoopError) throw refused(error, state, made.message);
    const { path, branch } = made;
    const reason = `loop ${holder.loop} works in ${cwd}`;
    const at = deps.clock.now().toISOString();
    await recorder.record(() => [{ type: "worktree.made", at, path, branch, reason }]);
    const own = await deps.workspace(path);
    return { cwd: path, workspace: own, claim: await claimFor(deps, id, own) };
  }
}

/** Throws what `takePlace` would throw, as far as that is known without changing anything. */
export async function requirePlace(deps: OrchestratorDeps, state: LoopState): Promise<void> {
  // Nobody else works in its clone.
  if (state.settings?.repository) return;
  const workspace = await deps.workspace(await folderOf(deps, state));
  const holder = await workspace.holder();
  if (!holder || isOf(holder, deps, state.loop_id) || canMove(state, workspace)) return;
  const { loop, owner } = holder;
  const busy = new LoopError("workspace_busy", `Loop ${loop} works here (driven by ${owner}).`, {
    details: { holder },
  });
  throw refused(busy, state, workspace.lacks.at(-1));
}

/** For work on a loop's files by whoever holds its lease. Throws `workspace_busy`, with what to do. */
export async function claimFolder(
  deps: OrchestratorDeps,
  state: LoopState,
  workspace: Workspace,
): Promise<TreeClaim> {
  try {
    return await claimFor(deps, state.loop_id, workspace);
  } catch (error) {
    if (!isLoopError(error, "workspace_busy")) throw error;
    throw refused(error, state, "Nobody else may change them meanwhile.", "give the command again");
  }
}

/**
 * The claim, once nothing works there for those whom it was taken from: a suspended owner's agent may still be at work,
 * and is ended by whoever takes its lease.
 */
async function claimFor(
  deps: OrchestratorDeps,
  loop: string,
  workspace: Workspace,
): Promise<TreeClaim> {
  const { cwd: project, owner, leaseTtlMs } = deps;
  const claim = await workspace.claim({ loop, project, owner }, leaseTtlMs);
  const others = claim.takenFrom.filter((one) => one.project === project);
  let [holder] = others;
  if (!holder) return claim;
  try {
    for (holder of others) {
      const ended = underLease(deps, holder.loop, async () => undefined);
      await orOn(ended, ["loop_not_found"], undefined);
    }
    await claim.renew();
    return claim;
  } catch (error) {
    await claim.giveBack();
    if (!isLoopError(error, "loop_busy", "fenced")) throw error;
    const message = `Loop ${holder.loop} works on these files (driven by ${holder.owner}).`;
    throw new LoopError("workspace_busy", message, { cause: error, details: { holder } });
  }
}

function canMove(state: LoopState, { lacks }: Workspace): boolean {
  const { skill_state, checkpoints, baseline, action, workspace } = state;
  const hasBegun = skill_state || checkpoints?.length || baseline || action;
  return !hasBegun && workspace?.path === undefined && lacks.length === 0;
}

/** A new worktree, or the one of an attempt that was cut off; the refusal where there can be none. */
async function worktreeFor(workspace: Workspace, id: string): Promise<Worktree | LoopError> {
  try {
    return await workspace.addWorktree(id, null);
  } catch (error) {
    const left = (await workspace.worktrees()).find((worktree) => worktree.id === id);
    if (left) return left;
    if (isLoopError(error, "invalid_input")) return error;
    throw error;
  }
}

function holderIn({ details }: LoopError): TreeHolder {
  return details.holder as TreeHolder;
}

function isOf({ loop, project }: TreeHolder, { cwd }: OrchestratorDeps, id: string): boolean {
  return loop === id && project === cwd;
}

/** The same refusal with the reason why the loop cannot work elsewhere, and the commands that help. */
function refused(
  busy: LoopError,
  { loop_id: id, status }: LoopState,
  reason = `Loop ${id} has begun there and cannot move.`,
  next = status === "created" ? `ccw-loop run --loop-id ${id}` : `ccw-loop resume ${id}`,
): LoopError {
  const { loop, project } = holderIn(busy);
  return new LoopError(
    "workspace_busy",
    `${busy.message} ${reason} Wait for its end or pause it (in ${project}: ccw-loop watch ${loop}, or ccw-loop pause ${loop}). Then: ${next}`,
    { cause: busy, details: busy.details },
  );
}

/** Where a loop's checkpoints can be read: its worktree, or once that is gone the repository it belonged to. */
export async function historyFolder(deps: OrchestratorDeps, state: LoopState): Promise<string> {
  const { path } = state.workspace ?? {};
  if (cloneOf(state)) return folderOf(deps, state);
  return path !== undefined && (await deps.files.isFolder(path)) ? path : deps.cwd;
}

/**
 * Where a loop works: its own clone or worktree, else the project root. Throws `invalid_input` when the worktree is gone,
 * `workspace_unavailable` for a clone on another machine.
 */
export async function folderOf(deps: OrchestratorDeps, state: LoopState): Promise<string> {
  const { loop_id: id, workspace, checkpoints, settings } = state;
  const { path, machine = "another machine" } = workspace ?? {};
  const clone = cloneOf(state);
  if (settings?.repository && !(clone && (await deps.repositories.isHere(clone)))) {
    const where = path === undefined ? "not anywhere yet" : `on ${machine}, in ${path}`;
    throw new LoopError(
      "workspace_unavailable",
      `The files of loop ${id} are ${where}. Give the command there, or bring them here by driving the loop: ccw-loop resume ${id}`,
    );
  }
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
  // Without git old checkpoints are forgotten; a loop goes on without them.
  await orOn(workspace.read(commit, []), ["invalid_input"], null);
}
