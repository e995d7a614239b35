import { existsSync } from "node:fs";
import { readFile, realpath } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { errorText, LoopError, type ReceiptCheck, reopenCommand } from "@ccw-loop/core";
import {
  checkReport,
  loopReport,
  type ReportFormat,
  sanitizeLine,
  truncateToWidth,
} from "@ccw-loop/view";
import { createLogUpdate } from "log-update";
import { checkText } from "../output/outcome.ts";
import type { Context } from "../runtime/context.ts";
import { exitCodeFor, listen } from "../runtime/interrupts.ts";
import { wholeLoopId } from "../runtime/loop-names.ts";
import type { Answer } from "../runtime/perform.ts";
import { loopFolder } from "../runtime/project-root.ts";

export interface VerifyFlags {
  command?: string;
  format?: ReportFormat;
}

/** What a check comes to as an exit code. */
const EXITS: Readonly<Record<ReceiptCheck["result"], number>> = { stands: 0, falls: 1, unknown: 2 };

/**
 * Whether a receipt proves what lies in the project: the newest one of a loop, or one in a file. Runs its square again in
 * clean rooms; the files of the project stay as they are.
 */
export async function verify(context: Context, named: string, flags: VerifyFlags): Promise<Answer> {
  const file = await receiptFile(context, named);
  const what = file === null ? await wholeLoopId(context, named) : named;
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
  const isRefused = file === null && check.result === "falls" && !flags.format;
  const next = isRefused ? await proveAgain(context, what) : [];
  return {
    data: { ...names, ...check },
    text: flags.format
      ? checkReport(of, check, flags.format).trimEnd()
      : [checkText(of, check, context.paint), ...next].join("\n"),
    exit: EXITS[check.result],
  };
}

/** What proves a loop's work anew that has ended. */
async function proveAgain({ parts, hint }: Context, id: string): Promise<string[]> {
  const state = await (await parts.loops()).get(id);
  if (state.status !== "completed" && state.status !== "failed") return [];
  return ["", hint(`Have what lies here proven, as a task of its own: ${reopenCommand(state)}`)];
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
  const loops = await context.parts.loops();
  if (file === null) return loops.verify(id, options);
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
    throw new LoopError(
      "invalid_input",
      `The receipt ${path} cannot be read: ${errorText(error)}.`,
    );
  }
}

/** The newest receipt of a loop as a document that `verify` reads on any machine with the repository. */
export async function receipt(context: Context, id: string): Promise<Answer> {
  const loops = await context.parts.loops();
  const portable = await loops.receipt(id);
  return { data: { loop_id: id, receipt: portable }, text: JSON.stringify(portable, null, 2) };
}

/** How a loop ended and what proves it, as a page or as results of tests. */
export async function report(
  context: Context,
  id: string,
  { format }: { format: ReportFormat },
): Promise<Answer> {
  const state = await (await context.parts.loops()).get(id);
  const text = loopReport(state, format).trimEnd();
  return { data: { loop_id: id, format, report: text }, text };
}

interface LastLineView {
  output(text: string): void;
  /** Leaves nothing behind. */
  close(): void;
}

/** What is being done and the last line that it printed, in one place on a terminal; nothing elsewhere. */
function lastLineView({ io, paintError }: Context, title: string): LastLineView {
  const { stderr } = io;
  if (stderr.isTTY !== true || io.env.TERM === "dumb") {
    return { output: () => undefined, close: () => undefined };
  }
  const draw = createLogUpdate(stderr);
  const show = (line: string) =>
    draw(paintError("quiet", truncateToWidth(line, Math.max(20, (stderr.columns ?? 80) - 1))));
  show(`${title} …`);
  return {
    output(text) {
      const line = text
        .split("\n")
        .map(sanitizeLine)
        .findLast((part) => part !== "");
      if (line !== undefined) show(`${title}: ${line}`);
    },
    close: () => draw.clear(),
  };
}
