import { errorText, firstOf, isLoopError, LoopError } from "@ccw-loop/core";
import { type ChangesSince, changesSince } from "../proof/changes.ts";
import { rewindBackupId } from "../run/checkpoint.ts";
import { type Execution, report } from "../run/context.ts";

/** Paths that a message names. */
const NAMED = 5;

/** What was changed although nothing may be, and what became of that. */
export interface Undone {
  problem: string;
  /** The tree that lies there now. */
  looked: string;
}

/**
 * Puts the files back to what they were before the task began, once what was changed is kept in a commit: a person may
 * have changed some of it. Null where nothing differs.
 */
export async function undoChanges(
  execution: Execution,
  { changes, looked }: ChangesSince,
): Promise<Undone | null> {
  if (changes.length === 0 || looked === undefined) return null;
  const paths = changes.map(({ path }) => path);
  const what = `It may change no file (mode analysis), but changed ${firstOf(paths, NAMED)}.`;
  try {
    const commit = await putBack(execution);
    const tree = await execution.ctx.workspace.tree();
    const how = `The files were put back; the changes are kept in commit ${commit}.`;
    return { problem: `${what} ${how}`, looked: tree };
  } catch (error) {
    if (!isLoopError(error, "invalid_input", "workspace_unavailable")) throw error;
    return { problem: `${what} They stay changed: ${error.message}`, looked };
  }
}

/** The same where the task ended with an error, which is what the loop goes by: a failure to put back is a warning. */
export async function undoAfterError(execution: Execution): Promise<void> {
  try {
    const undone = await undoChanges(execution, await changesSince(execution));
    if (undone === null) return;
    report(execution.ctx, "DEVELOP", { type: "warning.raised", message: undone.problem });
  } catch (error) {
    const message = `Files may stay changed by a task that may change none: ${errorText(error)}`;
    report(execution.ctx, "DEVELOP", { type: "warning.raised", message });
  }
}

/** Answers with the commit that keeps what was there. */
async function putBack({ ctx, baseTree }: Execution): Promise<string> {
  const { id, deps, workspace, control } = ctx;
  const { state, revision } = await deps.store.read(id);
  const before = state.checkpoints?.findLast(({ tree }) => tree === baseTree);
  if (!before) {
    throw new LoopError(
      "invalid_input",
      "No checkpoint has the files of before. Check them by hand.",
    );
  }
  const { commit } = await workspace.checkpoint(
    rewindBackupId(id),
    revision,
    `${id}: changed by an analysis`,
  );
  await control.confirmLease();
  await workspace.restore(before.commit);
  return commit;
}
