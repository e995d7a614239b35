import type { ReceiptCheck } from "@ccw-loop/core";
import type { Answer } from "../answer.ts";
import type { Context } from "../context.ts";
import { exitCodeFor, listen } from "../interrupts.ts";
import { lastLineView } from "../views/last-line.ts";
import { checkText } from "../views/receipt-check.ts";

/** Whether the newest receipt still stands and proves the work; exit code 1 when not. Changes nothing. */
export async function verify(context: Context, id: string): Promise<Answer> {
  const loops = await context.parts.loops();
  const view = lastLineView(context, `Verifying the receipt of loop ${id}`);
  using interrupts = listen(context.io, {});
  let check: ReceiptCheck;
  try {
    check = await loops.verify(id, { signal: interrupts.signal, onOutput: view.output });
  } catch (error) {
    if (interrupts.first === undefined) throw error;
    const exit = exitCodeFor(interrupts.first);
    return { data: { loop_id: id, interrupted: interrupts.first }, text: "", exit };
  } finally {
    view.close();
  }
  return {
    data: { loop_id: id, ...check },
    text: checkText(id, check, context.paint),
    exit: check.ok && check.receipt.passed ? 0 : 1,
  };
}
