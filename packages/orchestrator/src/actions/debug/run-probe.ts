import { isLoopError, type ProbeEvidence, type ProbeRun } from "@ccw-loop/core";
import { testPlan } from "../../proof/run-tests.ts";
import type { Execution } from "../../run/context.ts";
import { reportRun, runCommand } from "../run-command.ts";

/** What one probe may take. */
const PROBE_MS = 120_000;
/** How much of its output is kept: the end of it. */
const OUTPUT_KEPT = 4_000;

/** Exit codes of a shell that could not start a program. */
const NOT_STARTED: readonly (number | null)[] = [126, 127];

export type Shown = Pick<
  ProbeEvidence["data"],
  "command" | "exit_code" | "duration_ms" | "output" | "timed_out" | "not_run"
>;

interface Wanted {
  /** Null stands for the project's own tests. */
  command: string | null;
  /** Another folder than the project's, for comparison: people are not shown that run. */
  cwd?: string;
}

/**
 * Runs a probe and reports what it showed; one that could not be run, or whose program is missing, has the reason in
 * `not_run`. Rejects with the signal's reason on abort.
 */
export async function runProbe(
  execution: Execution,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<Shown> {
  const { ctx, state } = execution;
  const plan = wanted.command === null ? await testPlan(ctx, state) : null;
  const command = wanted.command ?? plan?.command;
  const nothing = { exit_code: null, duration_ms: 0, output: "" };
  if (command === undefined) {
    return { ...nothing, command: "", not_run: "The project has no test command." };
  }
  try {
    const { cwd } = wanted;
    const asked = { command, proposed: true, cwd, timeoutMs: PROBE_MS };
    const run = await (plan
      ? reportRun(execution, { command, kept: OUTPUT_KEPT }, () =>
          ownTests(execution, plan.parts, signal),
        )
      : runCommand(execution, { ...asked, kept: cwd === undefined ? OUTPUT_KEPT : null }, signal));
    const output = run.output.slice(-OUTPUT_KEPT);
    const { exit_code, duration_ms, timed_out } = run;
    const missing = NOT_STARTED.includes(exit_code)
      ? { not_run: `A program that it needs could not be started (exit code ${exit_code}).` }
      : {};
    return {
      command,
      exit_code,
      duration_ms,
      output,
      ...(timed_out ? { timed_out } : {}),
      ...missing,
    };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (!isLoopError(error)) throw error;
    return { ...nothing, command, not_run: error.message };
  }
}

/** Every command of the chain, whatever an earlier one says; the exit code is of the first that failed. */
async function ownTests(
  { ctx }: Execution,
  parts: readonly { command: string }[],
  signal: AbortSignal,
): Promise<ProbeRun> {
  const all: ProbeRun = { exit_code: 0, duration_ms: 0, output: "", timed_out: false };
  for (const { command } of parts) {
    const timeoutMs = Math.max(1, PROBE_MS - all.duration_ms);
    ctx.watcher.requireLease();
    const run = await ctx.deps.verifier.probe(command, {
      cwd: ctx.cwd,
      scope: ctx.scope,
      signal,
      timeoutMs,
    });
    if (all.exit_code === 0) all.exit_code = run.exit_code;
    all.duration_ms += run.duration_ms;
    all.output += parts.length > 1 ? `$ ${command}\n${run.output}\n` : run.output;
    if (run.timed_out) return { ...all, timed_out: true };
  }
  return all;
}
