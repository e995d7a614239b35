import {
  type ActionName,
  commandLine,
  counted,
  durationText,
  LoopError,
  limitsOf,
  type ProbeRun,
  shellWord,
  type TaskRun,
} from "@ccw-loop/core";
import { type Execution, type RunContext, report } from "../run/context.ts";
import { startDeadline } from "../turns/deadline.ts";

export interface CommandToRun {
  command: string;
  /** An agent or a file named it, and no operator has since: where no sandbox holds it, the policy for agents is asked. */
  proposed: boolean;
  /** How it is run: the command itself where this is missing. */
  line?: string;
  /** Another folder than the loop's own. */
  cwd?: string | undefined;
  timeoutMs: number;
  /** People are shown the run, with the last so many characters of its output; null hides it. */
  kept: number | null;
}

/**
 * Runs a command of the loop outside of any turn: in the agent's own sandbox where it has one, else as the tests are run. No
 * process of it is left, however it ends. Rejects with the signal's reason on abort, with `command_declined` where it is an
 * agent's that the policy declines, and with a LoopError where it cannot be started.
 */
export async function runCommand(
  execution: Execution,
  { command, proposed, line = command, cwd, timeoutMs, kept }: CommandToRun,
  signal: AbortSignal,
): Promise<ProbeRun> {
  const { ctx, state } = execution;
  const { clock, verifier } = ctx.deps;
  const session = await ctx.sessions.active.get(state, signal);
  if (proposed && !session.exec) await requireAccepted(ctx, command);
  const start = async () => {
    ctx.watcher.requireLease();
    if (!session.exec)
      return verifier.probe(line, { cwd: cwd ?? ctx.cwd, scope: ctx.scope, signal, timeoutMs });
    const began = clock.monotonic();
    const there = cwd === undefined ? line : `cd ${shellWord(cwd)} || exit 125\n${line}`;
    const run = await session.exec(there, { signal, timeoutMs });
    return { ...run, duration_ms: Math.round(clock.monotonic() - began) };
  };
  return kept === null ? start() : reportRun(execution, { command, kept }, start);
}

async function requireAccepted({ deps, cwd }: RunContext, command: string): Promise<void> {
  const problem = await deps.commandProblem(command, cwd);
  if (problem === null) return;
  throw new LoopError(
    "command_declined",
    `A command that no operator named was not run: ${problem}.`,
  );
}

/** Shows a run, and keeps it in the loop's log with the last `kept` characters of its output. */
export async function reportRun(
  { ctx, state }: Execution,
  { command, kept }: { command: string; kept: number },
  run: () => Promise<ProbeRun>,
): Promise<ProbeRun> {
  const action: ActionName = state.action?.name ?? "DEBUG";
  const ended = (exit_code: number | null) =>
    report(ctx, action, { type: "command.completed", command, exit_code });
  report(ctx, action, { type: "command.started", command });
  try {
    const done = await run();
    const text = done.output.slice(-kept);
    if (text !== "") report(ctx, action, { type: "command.output", text });
    ended(done.exit_code);
    return done;
  } catch (error) {
    ended(null);
    throw error;
  }
}

/** How much of the output stays with the task, and how much goes into the loop's log: the end of it. */
const OUTPUT_KEPT = 4_096;
const OUTPUT_LOGGED = 64 * 1024;
/** Of the last line that a message names. */
const LINE_SHOWN = 200;

/**
 * Runs the command of a task: no turn, no tokens. Rejects with the signal's reason on abort, and with `command_declined`
 * where it is `proposed` by an agent and the policy for agents declines it.
 */
export async function runTaskCommand(
  execution: Execution,
  { command, proposed = false }: { command: string; proposed?: boolean | undefined },
): Promise<TaskRun> {
  const { task_timeout_ms: timeoutMs } = limitsOf(execution.state);
  const deadline = startDeadline(execution);
  try {
    const { exit_code, duration_ms, output, timed_out } = await runCommand(
      execution,
      { command, proposed, line: inBash(command), timeoutMs, kept: OUTPUT_LOGGED },
      deadline.signal,
    );
    const kept = output.slice(-OUTPUT_KEPT).toWellFormed();
    return { command, exit_code, duration_ms, output: kept, timed_out };
  } catch (error) {
    throw deadline.signal.aborted ? deadline.signal.reason : error;
  } finally {
    deadline.close();
  }
}

/** The line by which any shell hands a command to bash, or to sh where there is none; with nothing to read. */
function inBash(command: string): string {
  return `CI=1; export CI; exec "$(command -v bash || command -v sh)" -c ${shellWord(command)} </dev/null`;
}

export function runProblem({ exit_code, timed_out, duration_ms, output }: TaskRun): string | null {
  if (timed_out) {
    return `The command did not end within ${durationText(duration_ms)} and was stopped. Give it longer with --task-timeout, or split it.`;
  }
  if (exit_code === 0) return null;
  const ended = exit_code === null ? "was ended by a signal" : `ended with exit code ${exit_code}`;
  const last = output.trimEnd().split("\n").at(-1)?.trim() ?? "";
  return `The command ${ended}${last === "" ? " and printed nothing" : `: ${last.slice(0, LINE_SHOWN)}`}`;
}

export function runSummary({ duration_ms, command }: TaskRun, files: number): string {
  return `${commandLine(command)} ended with exit code 0 after ${durationText(duration_ms)}; ${counted(files, "file")} changed.`;
}
