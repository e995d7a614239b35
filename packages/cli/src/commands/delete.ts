import { LoopError } from "@ccw-loop/core";
import type { Answer } from "../answer.ts";
import type { Context } from "../context.ts";
import { canAsk, confirm } from "../prompt.ts";

/** Removes a loop and everything that belongs to it, after a yes. */
export async function remove(
  context: Context,
  id: string,
  { yes }: { yes?: true },
): Promise<Answer> {
  const loops = await context.parts.loops();
  if (!yes) {
    if (!canAsk(context.io)) {
      throw new LoopError(
        "invalid_input",
        "delete asks first, and there is no terminal. Use --yes.",
      );
    }
    const question = `Delete loop ${id} with its journal, receipts, logs, checkpoints and worktree?`;
    if (!(await confirm(context.io, question))) {
      return { data: { loop_id: id, deleted: false }, text: "Nothing was deleted." };
    }
  }
  await loops.delete(id);
  return { data: { loop_id: id, deleted: true }, text: `Loop ${id} is deleted.` };
}
