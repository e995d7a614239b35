import {
  checkpointOf,
  forkedState,
  type LoopDiff,
  LoopError,
  type LoopState,
  mintLoopId,
  parseNewLoopId,
  type SendOptions,
  stateAtCheckpoint,
  type TimelineEntry,
  timelineOf,
  type Worktree,
} from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";
import { historyFolder, requireKept } from "../run/place.ts";
import { readAt } from "../run/recorder.ts";
import { digitsOf, findByOpId, requireFree, requireNoLeftover } from "./create.ts";

export async function timelineOfLoop(
  { store }: OrchestratorDeps,
  id: string,
): Promise<TimelineEntry[]> {
  return timelineOf(await Array.fromAsync(store.events(id)));
}

export async function diffOfLoop(
  deps: OrchestratorDeps,
  id: string,
  range: { from?: number; to?: number },
): Promise<LoopDiff> {
  const { state } = await deps.store.read(id);
  const last = state.checkpoints?.at(-1);
  if (!last) {
    throw new LoopError(
      "invalid_input",
      `Loop ${id} has no checkpoint yet. Run it first: ccw-loop run --loop-id ${id}`,
    );
  }
  const from = checkpointOf(state, range.from ?? 0);
  const to = checkpointOf(state, range.to ?? last.n);
  const workspace = await deps.workspace(await historyFolder(deps, state));
  await requireKept(workspace, state);
  const { files, patch } = await workspace.diff(from.commit, to.commit);
  return { files, patch, from: from.n, to: to.n };
}

/** A new loop at a checkpoint of another, in a worktree of its own. Nothing is left behind when it cannot be made. */
export async function forkLoop(
  deps: OrchestratorDeps,
  id: string,
  n: number,
  spec: { id?: string; title?: string },
  { opId, revision: named }: SendOptions,
): Promise<LoopState> {
  const { store, clock } = deps;
  const before = opId === undefined ? null : await findByOpId(store, spec.id, opId);
  if (before) return before;
  const now = clock.now();
  const fork = spec.id === undefined ? mintLoopId(now, digitsOf(opId)) : parseNewLoopId(spec.id);
  const { state, revision } = await readAt(store, id, named);
  const checkpoint = checkpointOf(state, n);
  const workspace = await deps.workspace(await historyFolder(deps, state));
  await requireKept(workspace, state);
  const journal = await Array.fromAsync(store.events(id));
  const seen = journal.filter((recorded) => recorded.revision <= revision);
  const then = stateAtCheckpoint(seen, checkpoint, state);
  await requireFree(store, fork);
  const forget = () => workspace.forget(fork).catch(() => undefined);
  let worktree: Worktree;
  try {
    await workspace.adopt(fork, n, checkpoint.commit);
    worktree = await workspace.addWorktree(fork, checkpoint.commit);
  } catch (error) {
    await requireNoLeftover(workspace, fork);
    await forget();
    throw error;
  }
  const { path, branch } = worktree;
  const title = spec.title ?? `${state.title} (from ${n})`;
  const made = forkedState(then, checkpoint, {
    id: fork,
    title,
    at: now.toISOString(),
    path,
    branch,
  });
  try {
    return (await store.create(made, { actor: "operator", opId })).state;
  } catch (error) {
    await workspace.removeWorktree(fork, { force: true }).catch(() => undefined);
    await forget();
    throw error;
  }
}
