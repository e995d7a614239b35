import { LoopError } from "@ccw-loop/core";
import type { Command } from "commander";
import { type Answer, documentOf, type StreamedAnswer } from "./answer.ts";
import { type Context, openContext } from "./context.ts";
import { requireOperator } from "./driven.ts";
import type { Io } from "./io.ts";

/** A command: its arguments and options in, what it has to say out. */
export type Handler<A extends unknown[]> = (
  context: Context,
  ...args: A
) => Promise<Answer | StreamedAnswer>;

/** Runs one handler, prints its answer, closes what it opened, and answers with the exit code. */
export async function perform<A extends unknown[]>(
  handler: Handler<A>,
  args: A,
  { command, io }: { command: Command; io: Io },
): Promise<number> {
  restoreOwnOptions(command);
  const options = command.optsWithGlobals();
  requireOneOutput(options);
  const context = openContext(nameOf(command), io, options);
  let atOnce = false;
  try {
    await requireOperator(io.env, context.remote === null ? context.root : null, context.command);
    const answer = await handler(context, ...args);
    atOnce = answer.exitNow === true;
    if (!("streamed" in answer)) io.stdout.write(await printed(answer, context));
    return answer.exit ?? 0;
  } finally {
    if (!atOnce) await context.close();
  }
}

/** Gives a command its own option back that the program has under the same name and took first. */
function restoreOwnOptions(command: Command): void {
  const program = command.parent?.opts() ?? {};
  for (const option of command.options) {
    const name = option.attributeName();
    if (command.getOptionValue(name) === undefined && program[name] !== undefined) {
      command.setOptionValue(name, program[name]);
    }
  }
}

/** `--json` is one document; it leaves no room for lines of JSON. */
function requireOneOutput({ json, events, raw }: Record<string, unknown>): void {
  const other = events ? "--events" : raw ? "--raw" : undefined;
  if (!json || other === undefined) return;
  throw new LoopError("invalid_input", `--json and ${other} cannot be used together.`);
}

/** The words that call a command, without the program's own name: `tasks add`. */
export function nameOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${nameOf(parent)} ${command.name()}` : command.name();
}

async function printed(answer: Answer, context: Context): Promise<string> {
  if (context.json) return documentOf(context.command, answer);
  const text = typeof answer.text === "string" ? answer.text : await answer.text();
  return text === "" ? "" : `${text}\n`;
}
