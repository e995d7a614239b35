import { LoopError } from "@ccw-loop/core";
import { worktreeTable } from "../output/tables.ts";
import type { Context } from "../runtime/context.ts";
import type { Answer } from "../runtime/perform.ts";
import { canAsk, confirm } from "../runtime/prompt.ts";

/** Removes a loop and everything that belongs to it, after a yes. */
export async function remove(
  context: Context,
  id: string,
  { yes }: { yes?: true },
): Promise<Answer> {
  const loops = await context.parts.loops();
  if (!yes) {
    if (!canAsk(context.io)) {
      const message = "delete asks first, and there is no terminal. Use --yes.";
      throw new LoopError("invalid_input", message);
    }
    const question = `Delete loop ${id} with its journal, receipts, logs, checkpoints and worktree?`;
    if (!(await confirm(context.io, question))) {
      return { data: { loop_id: id, deleted: false }, text: "Nothing was deleted." };
    }
  }
  await loops.delete(id);
  return { data: { loop_id: id, deleted: true }, text: `Loop ${id} is deleted.` };
}

interface CleanFlags {
  dryRun?: true;
  force?: true;
}

/** Removes the worktrees of loops that have ended, and says what each of them takes or why it stays. */
export async function clean(context: Context, flags: CleanFlags): Promise<Answer> {
  const dryRun = flags.dryRun === true;
  const loops = await context.parts.loops();
  const worktrees = await loops.clean({ dryRun, force: flags.force === true });
  return {
    data: { dry_run: dryRun, worktrees },
    text: worktreeTable(worktrees, { dryRun, context }),
  };
}
