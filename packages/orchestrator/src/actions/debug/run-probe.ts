import {
  type Activity,
  isLoopError,
  type ProbeEvidence,
  type ProbeRun,
  shellWord,
} from "@ccw-loop/core";
import { testPlan } from "../../proof/run-tests.ts";
import { type Execution, report } from "../../run/context.ts";

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
  const tell = (event: Activity["event"]) => {
    if (wanted.cwd === undefined) report(ctx, state.action?.name ?? "DEBUG", event);
  };
  tell({ type: "command.started", command });
  try {
    const run = plan
      ? await ownTests(execution, plan.parts, signal)
      : await inSandbox(execution, { command, cwd: wanted.cwd ?? null }, signal);
    const output = run.output.slice(-OUTPUT_KEPT);
    if (output !== "") tell({ type: "command.output", text: output });
    tell({ type: "command.completed", command, exit_code: run.exit_code });
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
    tell({ type: "command.completed", command, exit_code: null });
    return { ...nothing, command, not_run: error.message };
  }
}

/** The agent's own sandbox where it has one, for the command is the agent's; else as the tests are run. */
async function inSandbox(
  execution: Execution,
  { command, cwd }: { command: string; cwd: string | null },
  signal: AbortSignal,
): Promise<ProbeRun> {
  const { control, deps } = execution.ctx;
  const { clock, verifier } = deps;
  control.requireLease();
  const began = clock.monotonic();
  const there = cwd === null ? command : `cd ${shellWord(cwd)} || exit 125\n${command}`;
  const session = await execution.ctx.sessions.get(execution.state, signal);
  const run = await session.exec?.(there, { signal, timeoutMs: PROBE_MS });
  if (run) return { ...run, duration_ms: Math.round(clock.monotonic() - began) };
  return verifier.probe(command, {
    cwd: cwd ?? execution.ctx.cwd,
    scope: execution.ctx.scope,
    signal,
    timeoutMs: PROBE_MS,
  });
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
    ctx.control.requireLease();
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
