import { errorText, firstOf, isLoopError, LoopError, type LoopState } from "@ccw-loop/core";
import { type ChangesSince, changesBetween, changesSince } from "../proof/changes.ts";
import { rewindBackupId } from "../run/checkpoint.ts";
import { type Execution, warn } from "../run/context.ts";

const NAMED = 5;

/** Changes by work that may change no file, and whether they were undone. */
export interface Undone {
  problem: string;
  /** What is still changed. */
  left: string[];
  /** The tree that lies there now. */
  looked: string | undefined;
}

/**
 * Work that may change no file: how messages name it, how the commit that keeps its changes is called, and the commit
 * of the files before it.
 */
export interface Forbidden {
  who: string;
  by: string;
  keptAs: string;
  /** Where it is known; else the newest checkpoint with these files is looked for. */
  before?: string;
}

const ANALYSIS: Forbidden = {
  who: "It may change no file (mode analysis)",
  by: "a task that",
  keptAs: "changed by an analysis",
};

/**
 * Puts the files back to what they were before the work began, once what was changed is kept in a commit: a person may
 * have changed some of it. What came of that is measured. Null where nothing differs.
 */
export async function undoChanges(
  execution: Execution,
  { changes, looked }: ChangesSince,
  forbidden: Forbidden = ANALYSIS,
): Promise<Undone | null> {
  if (changes.length === 0 || looked === undefined) return null;
  const paths = changes.map(({ path }) => path);
  const what = `${forbidden.who}, but changed ${firstOf(paths, NAMED)}.`;
  try {
    const commit = await putBack(execution, paths, forbidden);
    const now = await changesSince(execution);
    const left = now.changes.map(({ path }) => path);
    return { problem: `${what} ${outcome(commit, paths, left)}`, left, looked: now.looked };
  } catch (error) {
    if (!isLoopError(error, "invalid_input", "workspace_unavailable")) throw error;
    const problem = `${what} They stay changed: ${error.message}`;
    return { problem, left: paths, looked };
  }
}

function outcome(commit: string, paths: readonly string[], left: readonly string[]): string {
  const back = paths.filter((path) => !left.includes(path));
  const how = `The changes are kept; bring one back with: git checkout ${commit} -- PATH`;
  if (left.length === 0) return `The files were put back. ${how}`;
  const stay = `They stay changed, for no checkpoint keeps secrets and large files: ${firstOf(left, NAMED)}.`;
  return back.length === 0 ? stay : `${stay} Put back: ${firstOf(back, NAMED)}. ${how}`;
}

/**
 * As `undoChanges`, where the changes do not decide how the task ends: what became of them is told as a warning, and so
 * is a failure.
 */
export async function undoWithWarning(
  execution: Execution,
  action: "DEVELOP" | "VALIDATE" = "DEVELOP",
  forbidden = ANALYSIS,
): Promise<void> {
  const { ctx } = execution;
  try {
    const undone = await undoChanges(execution, await changesSince(execution), forbidden);
    if (undone !== null) warn(ctx, action, undone.problem);
  } catch (error) {
    const what = `Files may stay changed by ${forbidden.by} may change none`;
    warn(ctx, action, `${what}: ${errorText(error)}`);
  }
}

/** Answers with the commit that keeps what was there. */
async function putBack(
  execution: Execution,
  changed: readonly string[],
  { keptAs, before: known }: Forbidden,
): Promise<string> {
  const { id, deps, workspace, watcher } = execution.ctx;
  const { state, revision } = await deps.store.read(id);
  const { before, others } =
    known === undefined
      ? await checkpointBefore(execution, state, new Set(changed))
      : { before: known, others: [] };
  const { commit } = await workspace.checkpoint(rewindBackupId(id), revision, `${id}: ${keptAs}`);
  await watcher.confirmLease();
  await workspace.restore(before, others);
  return commit;
}

/**
 * The newest checkpoint that has these files as they were before the task began, with the `others` that it does not have so:
 * what people changed while the task was interrupted is in `baseTree` and in no checkpoint from before. Throws `invalid_input`
 * where there is none.
 */
async function checkpointBefore(
  { ctx, baseTree }: Execution,
  state: LoopState,
  changed: ReadonlySet<string>,
) {
  const checkpoints = baseTree === null ? [] : (state.checkpoints ?? []).toReversed();
  for (const { tree, commit } of checkpoints) {
    const differing = await changesBetween(ctx, tree, baseTree ?? tree);
    if (differing?.every(({ path }) => !changed.has(path))) {
      return { before: commit, others: differing.map(({ path }) => path) };
    }
  }
  throw new LoopError(
    "invalid_input",
    "No checkpoint has the files of before. Check them by hand, for example with: git diff",
  );
}
