import { existsSync } from "node:fs";
import { readFile, realpath } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { LoopError, type ReceiptCheck } from "@ccw-loop/core";
import type { Answer } from "../answer.ts";
import type { Context } from "../context.ts";
import { exitCodeFor, listen } from "../interrupts.ts";
import { loopFolder } from "../project-root.ts";
import { lastLineView } from "../views/last-line.ts";
import { checkText } from "../views/receipt-check.ts";

export interface VerifyFlags {
  command?: string;
}

/** What a check comes to as an exit code. */
const EXITS: Readonly<Record<ReceiptCheck["result"], number>> = { stands: 0, falls: 1, unknown: 2 };

/**
 * Whether a receipt proves what lies in the project: the newest one of a loop, or one in a file. Runs its square again in
 * clean rooms; the files of the project stay as they are.
 */
export async function verify(context: Context, what: string, flags: VerifyFlags): Promise<Answer> {
  const file = await receiptFile(context, what);
  const of = file === null ? `loop ${what}` : what;
  const names = file === null ? { loop_id: what } : { file: file.path };
  const view = lastLineView(context, `Verifying the receipt of ${of}`);
  using interrupts = listen(context.io, {});
  let check: ReceiptCheck;
  try {
    const options = { ...flags, signal: interrupts.signal, onOutput: view.output };
    check = await checked(context, what, file, options);
  } catch (error) {
    if (interrupts.first === undefined) throw error;
    const exit = exitCodeFor(interrupts.first);
    return { data: { ...names, interrupted: interrupts.first }, text: "", exit };
  } finally {
    view.close();
  }
  return {
    data: { ...names, ...check },
    text: checkText(of, check, context.paint),
    exit: EXITS[check.result],
  };
}

interface ReceiptFile {
  path: string;
  text: string;
}

async function checked(
  context: Context,
  id: string,
  file: ReceiptFile | null,
  options: { command?: string; signal: AbortSignal; onOutput: (text: string) => void },
): Promise<ReceiptCheck> {
  if (file === null) return (await context.parts.loops()).verify(id, options);
  const loops = await context.parts.loops();
  const own = relative(await realpath(context.root), await realpath(file.path));
  return loops.verifyReceipt(file.text, { ...options, without: [own.replaceAll("\\", "/")] });
}

/** The file that the argument names; null for a loop, also where a file is called like it. */
async function receiptFile({ cwd, root }: Context, what: string): Promise<ReceiptFile | null> {
  const path = resolve(cwd, what);
  const isPath = /[/\\]|\.json$/.test(what);
  if (!isPath && (existsSync(join(loopFolder(root), `${what}.json`)) || !existsSync(path))) {
    return null;
  }
  try {
    return { path, text: await readFile(path, "utf8") };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new LoopError("invalid_input", `The receipt ${path} cannot be read: ${reason}.`);
  }
}
