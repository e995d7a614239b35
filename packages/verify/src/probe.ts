import { LoopError, type ProbeOptions, type ProbeRun } from "@ccw-loop/core";
import type { Processes } from "@ccw-loop/processes";
import { requireProgram } from "./process/can-start.ts";
import { testEnvironment } from "./process/environment.ts";
import { runCommand } from "./process/run-command.ts";

export interface ProbeSettings {
  /** Variables beside the allow-list of `testEnvironment`. */
  env: Readonly<Record<string, string>>;
  graceMs: number;
  processes: Processes;
}

/**
 * Runs one command as tests are run: same environment, no process left. A time limit that is reached is an answer.
 * Throws `verify_unavailable` when it cannot be started; rejects with `signal.reason` on abort.
 */
export async function probe(
  command: string,
  { cwd, scope, signal, timeoutMs }: ProbeOptions,
  settings: ProbeSettings,
): Promise<ProbeRun> {
  signal.throwIfAborted();
  const env = testEnvironment(process.env, cwd, settings.env);
  try {
    requireProgram(command, cwd, env);
  } catch (cause) {
    throw new LoopError(
      "verify_unavailable",
      `The probe "${command}" cannot be started in ${cwd}. Name a program that is installed here.`,
      { details: { command }, cause },
    );
  }
  const { graceMs, processes } = settings;
  const running = { cwd, env, processes, scope, signal, timeoutMs, graceMs, onStdout: () => {} };
  const end = await runCommand(command, running);
  return {
    exit_code: end.exitCode,
    duration_ms: end.durationMs,
    output: asShown(end.outputTail),
    timed_out: end.timedOut,
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** As a terminal would leave it: of a line that was written over and over the last state, nothing invisible. */
function asShown(output: string): string {
  const lines = output.split("\n").map((line) => {
    const text = line.replace(/\r$/, "");
    return text.slice(text.lastIndexOf("\r") + 1).replaceAll(INVISIBLE, "");
  });
  return lines.join("\n");
}
