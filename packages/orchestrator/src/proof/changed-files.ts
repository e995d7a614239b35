import { join } from "node:path";
import {
  type Checkpoint,
  type FileChange,
  type FileVersions,
  isLoopError,
  type LoopState,
  tasksOf,
} from "@ccw-loop/core";
import type { RunContext } from "../run/context.ts";
import type { ProofRun } from "./run-tests.ts";

/** Larger files, and files with a NUL byte, are not looked at as text. */
const TEXT_LIMIT = 1024 * 1024;

/**
 * Between the start of the loop and now; null where the start is not kept (the loop was begun by an older version,
 * or the files could not be kept).
 */
export async function changesSinceStart(
  ctx: RunContext,
  state: LoopState,
  { tree_after }: ProofRun,
): Promise<FileChange[] | null> {
  return changesBetween(ctx, startOf(state)?.tree, tree_after);
}

/** As many as can be looked into: those that were there before first, then those higher up. */
export function foremost(changes: readonly FileChange[], most: number): readonly FileChange[] {
  if (changes.length <= most) return changes;
  const rank = ({ kind, path }: FileChange) =>
    (kind === "added" ? 1000 : 0) + path.split("/").length;
  return changes.toSorted((a, b) => rank(a) - rank(b)).slice(0, most);
}

/** Null where the first of them is not known, or not any more. */
export async function changesBetween(
  { workspace }: Pick<RunContext, "workspace">,
  from: string | null | undefined,
  to: string,
): Promise<FileChange[] | null> {
  if (from === undefined || from === null) return null;
  try {
    return await workspace.changes(from, to);
  } catch (error) {
    if (isLoopError(error, "invalid_input")) return null;
    throw error;
  }
}

export async function versionsOf(
  ctx: RunContext,
  state: LoopState,
  changed: readonly FileChange[],
): Promise<FileVersions[]> {
  const start = startOf(state);
  if (!start) return [];
  const paths = changed.filter(({ kind }) => kind !== "added").map(({ path }) => path);
  const before = await ctx.workspace.read(start.commit, paths);
  return Promise.all(
    changed.map(async ({ path, kind }) => ({
      path,
      before: kind === "added" ? null : textOf(before.get(path)),
      after: kind === "deleted" ? null : textOf(await bytesOf(ctx, path)),
    })),
  );
}

/**
 * What the loop's own work is measured against: the files behind the baseline, with everything that changed from
 * outside since.
 */
export function startTree(state: LoopState): string | null | undefined {
  return state.workspace?.start ?? state.baseline?.tree ?? startOf(state)?.tree;
}

/** Files that the agent says it worked on, in tasks that are done. */
export function claimedFiles(state: LoopState): Set<string> {
  const tasks = tasksOf(state);
  return new Set(
    tasks.flatMap(({ claimed_files, files_changed }) => claimed_files ?? files_changed),
  );
}

/** The checkpoint from before the first action. */
export function startOf({ checkpoints }: LoopState): Checkpoint | undefined {
  return checkpoints?.[0]?.action === null ? checkpoints[0] : undefined;
}

/** Undefined for what is no file, or too large to be looked at as text. */
async function bytesOf({ cwd, deps }: RunContext, path: string): Promise<Uint8Array | undefined> {
  const options = { most: TEXT_LIMIT, followLinks: true };
  return (await deps.files.bytes(join(cwd, path), options)) ?? undefined;
}

function textOf(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined || bytes.length > TEXT_LIMIT || bytes.includes(0)) return undefined;
  return new TextDecoder().decode(bytes);
}
