import type { ActionName, Checkpoint, LoopEvent } from "@ccw-loop/core";
import { nowOf, type RunContext, report } from "../run/context.ts";

/** What is needed to keep a loop's files. */
export type CheckpointContext = Pick<RunContext, "id" | "deps" | "workspace" | "emit">;

/** The files as they are now, kept under the loop's next number, with the fact to record. */
export interface MadeCheckpoint {
  checkpoint: Checkpoint;
  event: LoopEvent;
}

/**
 * Makes the next checkpoint; number 0 is the start. Null when it could not be made: that is told and costs the
 * loop a place to go back to, not its work.
 */
export async function makeCheckpoint(
  ctx: CheckpointContext,
  action: ActionName | null,
  what: { outside?: true } = {},
): Promise<MadeCheckpoint | null> {
  const { state } = await ctx.deps.store.read(ctx.id);
  const before = state.checkpoints?.at(-1);
  const n = before ? before.n + 1 : 0;
  try {
    const message = `${ctx.id} ${n}: ${action ?? (what.outside ? "changed from outside" : "start")}`;
    const kept = await ctx.workspace.checkpoint(ctx.id, n, message, { after: before?.commit });
    const checkpoint: Checkpoint = {
      n,
      at: nowOf(ctx),
      action,
      ...what,
      ...kept,
      ...(await diffstat(ctx, before, kept)),
    };
    return { checkpoint, event: { type: "checkpoint.made", at: checkpoint.at, checkpoint } };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `The files could not be kept as checkpoint ${n}: ${reason}`;
    report(ctx, action ?? "INIT", { type: "warning.raised", message });
    return null;
  }
}

async function diffstat(
  { workspace }: CheckpointContext,
  before: Checkpoint | undefined,
  { commit, tree }: { commit: string; tree: string },
): Promise<Pick<Checkpoint, "files" | "added" | "removed">> {
  if (!before || before.tree === tree) return { files: 0, added: 0, removed: 0 };
  if (workspace.lacks.length > 0) {
    const { length } = await workspace.changes(before.tree, tree);
    return { files: length, added: 0, removed: 0 };
  }
  const { files } = await workspace.diff(before.commit, commit);
  const sum = (key: "added" | "removed") => files.reduce((n, file) => n + (file[key] ?? 0), 0);
  return { files: files.length, added: sum("added"), removed: sum("removed") };
}
