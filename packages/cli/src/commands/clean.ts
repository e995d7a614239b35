import type { Answer } from "../answer.ts";
import type { Context } from "../context.ts";
import { worktreeTable } from "../views/worktree-table.ts";

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
