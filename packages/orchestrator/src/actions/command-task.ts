import {
  commandLine,
  counted,
  durationText,
  limitsOf,
  shellWord,
  type TaskRun,
} from "@ccw-loop/core";
import type { Execution } from "../run/context.ts";
import { startDeadline } from "../turns/deadline.ts";
import { runCommand } from "./run-command.ts";

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

/** Why a run is no success; null where it is one. */
export function runProblem({ exit_code, timed_out, duration_ms, output }: TaskRun): string | null {
  if (timed_out) {
    return `The command did not end within ${durationText(duration_ms)} and was stopped. Give it longer with --task-timeout, or split it.`;
  }
  if (exit_code === 0) return null;
  const ended = exit_code === null ? "was ended by a signal" : `ended with exit code ${exit_code}`;
  const last = output.trimEnd().split("\n").at(-1)?.trim() ?? "";
  return `The command ${ended}${last === "" ? " and printed nothing" : `: ${last.slice(0, LINE_SHOWN)}`}`;
}

/** What a run that succeeded came to, for the timeline. */
export function runSummary({ duration_ms, command }: TaskRun, files: number): string {
  return `${commandLine(command)} ended with exit code 0 after ${durationText(duration_ms)}; ${counted(files, "file")} changed.`;
}
