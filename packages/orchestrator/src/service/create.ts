import { createHash, randomBytes } from "node:crypto";
import {
  invalidInput,
  isLoopError,
  LoopEdit,
  LoopError,
  LoopState,
  type LoopStore,
  mintLoopId,
  type NewLoop,
  opName,
  parseNewLoopId,
  type RequestOptions,
  SCHEMA_VERSION,
  type Workspace,
  type Worktree,
} from "@ccw-loop/core";
import { z } from "zod";
import type { OrchestratorDeps } from "../deps.ts";
import type { Preflight } from "./preflight.ts";

/**
 * Makes a loop, and its worktree where it is to have one. If that fails, or the agent cannot work, nothing is left
 * behind.
 */
export async function createLoop(
  deps: OrchestratorDeps,
  preflight: Preflight,
  spec: NewLoop,
  { opId }: RequestOptions,
): Promise<LoopState> {
  const { worktree = false, ...fields } = spec;
  if (worktree && fields.settings?.repository) {
    const message =
      "A loop that brings a repository works in a clone of its own. Leave --worktree out.";
    throw new LoopError("invalid_input", message);
  }
  const made = opId === undefined ? null : await findByOpId(deps.store, fields.id, opId);
  if (made) return made;
  const state = newLoopState(fields, deps.clock.now(), digitsOf(opId));
  if (fields.id !== undefined) await requireFree(deps.store, fields.id);
  const workspace = worktree ? await deps.workspace(deps.cwd) : null;
  await preflight.require(state.settings);
  const write = { actor: "operator", opId };
  if (!workspace) return (await deps.store.create(state, write)).state;
  const { path, branch } = await addWorktree(workspace, state.loop_id);
  try {
    const withWorktree = { ...state, workspace: { tree: null, path, branch } };
    return (await deps.store.create(withWorktree, write)).state;
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

/** Eight hexadecimal digits for a minted id: those of the request, so that its repetition finds the loop. */
export function digitsOf(opId: string | undefined): string {
  if (opId === undefined) return randomHex();
  return createHash("sha256").update(opName(opId)).digest("hex").slice(0, 8);
}

/** The loop that an earlier request with this op id made; null when there was none. */
export async function findByOpId(
  store: LoopStore,
  id: string | undefined,
  opId: string,
): Promise<LoopState | null> {
  const ending = `-${digitsOf(opId)}`;
  const { loops } = await store.list({ text: id ?? ending });
  for (const { state } of loops) {
    const fits = id === undefined ? state.loop_id.endsWith(ending) : state.loop_id === id;
    const made = fits ? await store.operation(state.loop_id, opId) : null;
    if (made) return made.state;
  }
  return null;
}

/** Throws `loop_exists` for the id of a loop that is there already, whether or not it can be read. */
export async function requireFree(store: LoopStore, id: string): Promise<void> {
  try {
    await store.read(id);
  } catch (error) {
    if (isLoopError(error, "loop_not_found")) return;
    if (!isLoopError(error, "store_corrupt")) throw error;
  }
  throw new LoopError("loop_exists", `Loop ${id} exists already. Choose another id.`);
}

const Spec = LoopEdit.omit({ description: true, title: true }).extend({
  description: z.string().trim(),
  title: z.string().trim().min(1).optional(),
  id: z.string().optional(),
});

/**
 * The first state of a loop; `digits` end a minted id. Throws `invalid_input` naming the field, `invalid_id` for an unsafe
 * id.
 */
export function newLoopState(spec: NewLoop, now: Date, digits: string): LoopState {
  const parsed = Spec.safeParse(spec);
  if (!parsed.success) throw invalidInput(parsed.error);
  const { id, description, title, ...rest } = parsed.data;
  if (description === "" && title === undefined) {
    throw new LoopError("invalid_input", "description: Say what the loop is to do.");
  }
  const at = now.toISOString();
  return LoopState.parse({
    loop_id: id === undefined ? mintLoopId(now, digits) : parseNewLoopId(id),
    title: title ?? [...(description.split("\n", 1)[0] ?? "")].slice(0, 100).join(""),
    description,
    ...rest,
    status: "created",
    created_at: at,
    updated_at: at,
    schema_version: SCHEMA_VERSION,
  });
}

export function randomHex(): string {
  return randomBytes(4).toString("hex");
}

/** Throws `loop_exists` for a worktree without a loop: it is being made, or was left by an attempt that was cut off. */
export async function requireNoLeftover(workspace: Workspace, id: string): Promise<void> {
  const left = (await workspace.worktrees()).find((worktree) => worktree.id === id);
  if (!left) return;
  throw new LoopError(
    "loop_exists",
    `There is a worktree for loop ${id}, ${left.top}, but no loop: somebody is making it, or was cut off. ` +
      "In the second case remove it with: ccw-loop clean --force, and give the same command again.",
  );
}
