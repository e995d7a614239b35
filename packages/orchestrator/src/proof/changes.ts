import {
  type Checkpoint,
  type FileChange,
  isLoopError,
  type LoopState,
  orOn,
  tasksOf,
} from "@ccw-loop/core";
import type { Execution, RunContext } from "../run/context.ts";

export function startOf({ checkpoints }: LoopState): Checkpoint | undefined {
  return checkpoints?.[0]?.action === null ? checkpoints[0] : undefined;
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

/** What differs between two trees; null where the first of them is not known, or not any more. */
export async function changesBetween(
  { workspace }: Pick<RunContext, "workspace">,
  from: string | null | undefined,
  to: string,
): Promise<FileChange[] | null> {
  if (from === undefined || from === null) return null;
  return orOn(workspace.changes(from, to), ["invalid_input"], null);
}

export interface ChangesSince {
  changes: FileChange[];
  looked?: string;
}

/**
 * What really changed since the action first began, and what lies there now; since this attempt, when the workspace does
 * not know the tree of the first one any more (it became a git repository meanwhile, or its objects were cleared away).
 */
export async function changesSince({
  ctx: { workspace },
  baseTree,
  tree,
}: Execution): Promise<ChangesSince> {
  if (baseTree === null || tree === null) return { changes: [] };
  const looked = await workspace.tree();
  try {
    return { changes: await workspace.changes(baseTree, looked), looked };
  } catch (error) {
    if (baseTree === tree || !isLoopError(error, "invalid_input")) throw error;
    return { changes: await workspace.changes(tree, looked), looked };
  }
}

/** The files that the agent claims it changed, where they differ from the measured ones; else undefined. */
export function differingClaims(
  claims: readonly string[],
  measured: readonly string[],
): string[] | undefined {
  const claimed = claims.map((path) => path.replace(/^\.\//, ""));
  const same = claimed.length === measured.length && claimed.every((p) => measured.includes(p));
  return same ? undefined : claimed;
}
