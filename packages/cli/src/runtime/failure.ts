import { ERROR_CODES, type ErrorCode, LoopError, shellWord, toLoopError } from "@ccw-loop/core";
import { painter, sanitizeLine } from "@ccw-loop/view";
import { type Command, CommanderError } from "commander";
import { commandHints } from "./hints.ts";
import { type Io, wantsColor } from "./io.ts";
import { documentOf, nameOf } from "./perform.ts";

/**
 * Tells what went wrong: one line and, where there is one, the next step on a second; one JSON document on
 * stdout with `--json`. The stack only with CCW_LOOP_DEBUG=1. Answers with the exit code.
 */
export function reportFailure(
  thrown: unknown,
  { argv, program, io }: { argv: readonly string[]; program: Command; io: Io },
): number {
  const command = commandOf(program, argv);
  const typed = commandHints(io, command.optsWithGlobals());
  const [raw, next] =
    thrown instanceof CommanderError ? usageError(thrown, command) : known(thrown, command);
  const error = withTyped(raw, typed);
  const hint = next === null ? null : typed(next);
  const words = argv.slice(0, argv.includes("--") ? argv.indexOf("--") : argv.length);
  if (words.includes("--json")) {
    io.stdout.write(documentOf(command === program ? null : nameOf(command), { error, hint }));
  }
  const paint = painter(wantsColor(io, io.stderr, !words.includes("--no-color")));
  io.stderr.write(`${paint("bad", "ccw-loop:")} ${sanitizeLine(error.message)}\n`);
  if (hint !== null) io.stderr.write(`${paint("quiet", hint)}\n`);
  if (io.env.CCW_LOOP_DEBUG === "1" && thrown instanceof Error) {
    io.stderr.write(`${thrown.stack}\n`);
    for (let cause = thrown.cause; cause instanceof Error; cause = cause.cause) {
      io.stderr.write(`caused by ${cause.stack}\n`);
    }
  }
  return ERROR_CODES[error.code].exit;
}

/** What commander refused, in our words: `error: unknown option '--x'\n(Did you mean --y?)`. */
function usageError(thrown: CommanderError, command: Command): [LoopError, string | null] {
  // Its help is on stderr already.
  if (thrown.code === "commander.help") {
    return [new LoopError("invalid_input", "Name a command."), null];
  }
  const [problem = "", suggestion] = thrown.message.split("\n");
  const sentence = problem.replace(/^error: /, "").replace(/^./, (first) => first.toUpperCase());
  const message = /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
  const hint = suggestion?.replace(/^\((.*)\)$/, "$1") ?? helpHint(command);
  return [new LoopError("invalid_input", message), hint];
}

const DOCTOR = "See what is missing with: ccw-loop doctor";
/** ID is the loop that the command is about. */
const HINTS: Partial<Record<ErrorCode, string>> = {
  invalid_id: "See the loops of this project with: ccw-loop list",
  loop_not_found: "See the loops of this project with: ccw-loop list",
  task_not_found: "See the tasks with: ccw-loop tasks list ID",
  issue_not_found: "Issues are the lines of .workflow/issues/issues.jsonl.",
  store_corrupt: "See what can be saved with: ccw-loop recover ID",
  agent_unavailable: DOCTOR,
  agent_unauthorized: DOCTOR,
  agent_misconfigured: DOCTOR,
  sandbox_unavailable: DOCTOR,
  internal: "This should not happen. CCW_LOOP_DEBUG=1 shows where it did.",
};

/** The same error with the commands in it as they are typed here. */
function withTyped(
  { code, message, details, cause }: LoopError,
  typed: (text: string) => string,
): LoopError {
  const { hint } = details;
  return new LoopError(code, typed(message), {
    cause,
    details: typeof hint === "string" ? { ...details, hint: typed(hint) } : details,
  });
}

function known(thrown: unknown, command: Command): [LoopError, string | null] {
  const error = toLoopError(thrown);
  const { code, message, details } = error;
  if (typeof details.hint === "string") return [error, details.hint];
  if (code === "invalid_input") return [error, helpHint(command)];
  // A message that names its own next step needs no other one.
  const general = message.includes("ccw-loop ") ? undefined : HINTS[code];
  const { agent, loopId } = command.optsWithGlobals<{ agent?: unknown; loopId?: string }>();
  const id = shellWord(loopId ?? command.args[0] ?? "@last");
  const hint = general?.replace(/ ID$/, () => ` ${id}`);
  const isOfAgent = hint === DOCTOR && typeof agent === "string";
  return [error, isOfAgent ? `${hint} --agent ${shellWord(agent)}` : (hint ?? null)];
}

function helpHint(command: Command): string {
  const path = command.parent === null ? "ccw-loop" : `ccw-loop ${nameOf(command)}`;
  const usage = command.parent === null ? "" : `Usage: ${path} ${command.usage()}\n`;
  return `${usage}See: ${path} --help`;
}

/** The command that the arguments name, as far as they name one. */
function commandOf(program: Command, argv: readonly string[]): Command {
  let command = program;
  for (const word of argv) {
    if (word === "--") break;
    const next = command.commands.find((c) => c.name() === word || c.aliases().includes(word));
    if (next) command = next;
    else if (!word.startsWith("-") && command !== program && command.commands.length === 0) break;
  }
  return command;
}
