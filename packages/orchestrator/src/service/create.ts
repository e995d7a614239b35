import type { LoopState, NewLoop, RequestOptions, Workspace, Worktree } from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";
import { requireNoLeftover } from "./leftover.ts";
import { digitsOf, findByOpId, requireFree } from "./made-before.ts";
import { newLoopState } from "./new-loop.ts";
import type { Preflight } from "./preflight.ts";
import { requireGit } from "./rewind.ts";

/** A new loop, with its worktree when it is to have one. Nothing is left behind when it cannot be made, or its agent cannot work. */
export async function createLoop(
  deps: OrchestratorDeps,
  preflight: Preflight,
  spec: NewLoop,
  { opId }: RequestOptions,
): Promise<LoopState> {
  const { worktree = false, ...fields } = spec;
  const made = opId === undefined ? null : await findByOpId(deps.store, fields.id, opId);
  if (made) return made;
  const state = newLoopState(fields, deps.clock.now(), digitsOf(opId));
  if (fields.id !== undefined) await requireFree(deps.store, fields.id);
  const workspace = worktree ? await deps.workspace(deps.cwd) : null;
  if (workspace) requireGit(workspace);
  await preflight.require(state.settings);
  const actor = { actor: "operator", ...(opId === undefined ? {} : { opId }) };
  if (!workspace) return (await deps.store.create(state, actor)).state;
  const { path, branch } = await addWorktree(workspace, state.loop_id);
  try {
    const withWorktree = { ...state, workspace: { tree: null, path, branch } };
    return (await deps.store.create(withWorktree, actor)).state;
  } catch (error) {
    await workspace.removeWorktree(state.loop_id, { force: true }).catch(() => undefined);
    throw error;
  }
}

async function addWorktree(workspace: Workspace, id: string): Promise<Worktree> {
  try {
    return await workspace.addWorktree(id, null);
  } catch (error) {
    await requireNoLeftover(workspace, id);
    throw error;
  }
}
