import { LoopError } from "@ccw-loop/core";
import { sanitizeJson } from "@ccw-loop/view";
import type { Command } from "commander";
import { commandsThat } from "../program/commands.ts";
import { type Context, openContext } from "./context.ts";
import type { Io } from "./io.ts";
import { withWholeIds } from "./loop-names.ts";
import { requireOperator } from "./operator-origin.ts";

/** A command: its arguments and options in, what it has to say out. */
export type Handler<A extends unknown[]> = (context: Context, ...args: A) => Promise<Answer>;

/** Runs one handler, prints its answer, closes what it opened, and answers with the exit code. */
export async function perform<A extends unknown[]>(
  handler: Handler<A>,
  args: A,
  { command, io }: { command: Command; io: Io },
): Promise<number> {
  restoreOwnOptions(command);
  const options = { ...agentArgument(command), ...command.optsWithGlobals() };
  requireOneOutput(options);
  const context = openContext(nameOf(command), io, options);
  let atOnce = false;
  try {
    await requireOperator(io.env, await projectOf(context), context.command);
    const answer = await handler(context, ...(await withWholeIds(args, command, context)));
    atOnce = answer.exitNow === true;
    if (answer.data) io.stdout.write(await printed(answer, context));
    return answer.exit ?? 0;
  } finally {
    if (!atOnce) await context.close();
  }
}

/** The project whose files have the loops; null where they are elsewhere. */
async function projectOf({ remote, parts, root, command }: Context): Promise<string | null> {
  // What only looks need not read the configuration for this.
  if (remote !== null) return null;
  return commandsThat("reads").has(command) || (await parts.storeChoice()) === undefined
    ? root
    : null;
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

/** An agent that is the operator's word as an argument is one as much as behind `--agent`. */
function agentArgument({ registeredArguments, processedArgs }: Command): { agent?: string } {
  const at = registeredArguments.findIndex((one) => one.name() === "agent");
  return at === -1 ? {} : { agent: processedArgs[at] };
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
  const { data = {}, text = "" } = answer;
  if (context.json) return documentOf(context.command, { data });
  const lines = typeof text === "string" ? text : await text();
  return lines === "" ? "" : `${lines}\n`;
}

/** How a command ends. */
export interface Ending {
  /** Exit code; 0 when absent. */
  exit?: number;
  /** Nothing is awaited any more: a person asked twice. */
  exitNow?: true;
}

/** What a command has to say when it is done. */
export interface Answer extends Ending {
  /** The `data` of its JSON document; absent when it wrote its own lines to stdout while it ran. */
  data?: Readonly<Record<string, unknown>>;
  /** The same for people; may be empty. A function where making it loads what `--json` does not need. */
  text?: string | (() => Promise<string>);
}

/** The version of the documents that `--json` prints. */
const DOCUMENT_VERSION = 1;

/** The one JSON document of a command that succeeded, or that failed: then with the next step, null when there is none. */
export function documentOf(
  command: string | null,
  outcome: { data: NonNullable<Answer["data"]> } | { error: LoopError; hint: string | null },
): string {
  const body = "data" in outcome ? { data: outcome.data } : { error: errorBody(outcome) };
  return `${sanitizeJson({ schema_version: DOCUMENT_VERSION, command, ...body }, 2)}\n`;
}

function errorBody({ error, hint }: { error: LoopError; hint: string | null }) {
  const { code, message, details } = error;
  return { code, message, hint, details };
}
