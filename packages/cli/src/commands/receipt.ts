import type { Answer } from "../answer.ts";
import type { Context } from "../context.ts";

/** The newest receipt of a loop as a document that `verify` reads on any machine with the repository. */
export async function receipt(context: Context, id: string): Promise<Answer> {
  const loops = await context.parts.loops();
  const portable = await loops.receipt(id);
  return {
    data: { loop_id: id, receipt: portable },
    text: JSON.stringify(portable, null, 2),
  };
}
