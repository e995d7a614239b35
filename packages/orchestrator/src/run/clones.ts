import {
  type LoopClone,
  LoopError,
  type LoopRepository,
  type LoopState,
  type Repositories,
  type TreeClaim,
  type Workspace,
} from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";
import { runSetup } from "../proof/baseline.ts";
import { type HeldLease, whileRenewed } from "./lease.ts";
import { excludedPaths, excluding } from "./outside-changes.ts";
import type { Recorder } from "./recorder.ts";

/** Where a loop works while it is driven, and the claim that keeps every other loop away from there. */
export interface Place {
  cwd: string;
  workspace: Workspace;
  claim: TreeClaim;
}

interface Driver {
  lease: HeldLease;
  recorder: Recorder;
  signal: AbortSignal | undefined;
}

/** The clone in which a loop worked last; null for a loop that brings no repository, or has none yet. */
export function cloneOf({ loop_id: id, settings, workspace }: LoopState): LoopClone | null {
  const { repository } = settings ?? {};
  const { path } = workspace ?? {};
  return repository && path !== undefined ? { id, repository, path } : null;
}

/**
 * The clone of a loop that brings its repository: the one in which it worked last, where this machine has it, else a new
 * one that goes on from the newest checkpoint. Throws `repository_unavailable` before anything is paid for while
 * the server is away.
 */
export async function takeClone(
  deps: OrchestratorDeps,
  driver: Driver,
  { state, repository }: { state: LoopState; repository: LoopRepository },
): Promise<Place> {
  const { repositories } = deps;
  const before = cloneOf(state);
  const renewals = [() => driver.lease.renew()];
  const clone = await whileRenewed(deps, renewals, async () => {
    await repositories.reach(repository);
    if (before && (await repositories.isHere(before))) return before;
    return moveHere(deps, driver, { state, repository });
  });
  const { path: cwd, id } = clone;
  const workspace = await repositories.workspace(clone);
  const holder = { loop: id, project: repository.url, owner: deps.owner };
  return { cwd, workspace, claim: await workspace.claim(holder, deps.leaseTtlMs) };
}

/**
 * Makes a clone and records where the loop works from now on. What was installed for the start is installed for it here, too, so
 * that the proof can tell what the loop changed about it.
 */
async function moveHere(
  deps: OrchestratorDeps,
  { lease, recorder, signal }: Driver,
  { state, repository }: { state: LoopState; repository: LoopRepository },
): Promise<LoopClone> {
  const { repositories } = deps;
  const { id } = lease.lease;
  const [first] = state.checkpoints ?? [];
  const newest = state.checkpoints?.at(-1);
  const from = first && newest ? { start: first.commit, newest: newest.commit } : null;
  const { path, branch } = await repositories.clone(id, repository, from);
  const clone = { id, repository, path };
  const workspace = excluding(await repositories.workspace(clone), excludedPaths(state));
  await deps.endSuperseded(lease.scope);
  const prepare = async () => {
    const { setup: command } = repository;
    if (command === undefined) return undefined;
    const where = { cwd: path, scope: lease.scope, timeoutMs: deps.verifyTimeoutMs };
    const next = "Correct it (--repository with --setup), then resume the loop.";
    return runSetup(deps.verifier, command, { ...where, signal: signal ?? NEVER, next });
  };
  const setup = await prepare();
  const installed = from === null ? undefined : await workspace.installed();
  if (from !== null) {
    await workspace.restore(from.newest);
    if (setup && from.start !== from.newest) {
      await prepare();
      await workspace.restore(from.newest);
    }
  }
  const tree = from === null ? undefined : await workspace.tree();
  const { machine } = repositories;
  const last = state.workspace?.machine;
  await recorder.record(() => [
    {
      type: "worktree.made",
      at: deps.clock.now().toISOString(),
      ...{ path, branch, machine },
      ...(last === undefined ? {} : { reason: `it was driven on ${last} before` }),
      ...(setup ? { setup } : {}),
      ...(tree === undefined ? {} : { tree, installed }),
    },
  ]);
  return clone;
}

const NEVER = new AbortController().signal;

const refuse = async () => {
  const message =
    "This program has no folder for clones of repositories. Drive the loop with ccw-loop, or give `repositories` to the service.";
  throw new LoopError("repository_refused", message);
};

/** For a service that drives no loop with a repository. */
export const noRepositories: Repositories = {
  machine: "",
  clone: refuse,
  isHere: async () => false,
  reach: refuse,
  workspace: refuse,
  publish: refuse,
};
