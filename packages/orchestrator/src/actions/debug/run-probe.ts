import { isLoopError, type Probe, type ProbeEvidence, type ProbeRun } from "@ccw-loop/core";
import { testPlan } from "../../proof/test-plan.ts";
import { report, scopeOf } from "../../run/context.ts";
import { execInSession } from "../../turns/exec.ts";
import type { Execution } from "../action.ts";

/** What one probe may take. */
const PROBE_MS = 120_000;
/** How much of its output is kept: the end of it. */
const OUTPUT_KEPT = 4_000;

type Shown = Pick<
  ProbeEvidence["data"],
  "command" | "prediction" | "exit_code" | "duration_ms" | "output" | "timed_out" | "not_run"
>;

/**
 * Runs a probe and tells what it showed; one that cannot be run tells why. Rejects with the signal's reason on abort.
 */
export async function runProbe(
  execution: Execution,
  probe: Probe,
  signal: AbortSignal,
): Promise<Shown> {
  const { ctx, state } = execution;
  const prediction = probe.prediction;
  const plan = probe.command === null ? await testPlan(ctx, state) : null;
  const command = probe.command ?? plan?.command;
  const nothing = { exit_code: null, duration_ms: 0, output: "", prediction };
  if (command === undefined) {
    return { ...nothing, command: "", not_run: "The project has no test command." };
  }
  report(ctx, "DEBUG", { type: "command.started", command });
  try {
    const run = plan
      ? await ownTests(execution, plan.parts, signal)
      : await inSandbox(execution, command, signal);
    const output = run.output.slice(-OUTPUT_KEPT);
    if (output !== "") report(ctx, "DEBUG", { type: "command.output", text: output });
    report(ctx, "DEBUG", { type: "command.completed", command, exit_code: run.exit_code });
    const { exit_code, duration_ms, timed_out } = run;
    return {
      command,
      prediction,
      exit_code,
      duration_ms,
      output,
      ...(timed_out ? { timed_out } : {}),
    };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (!isLoopError(error)) throw error;
    report(ctx, "DEBUG", { type: "command.completed", command, exit_code: null });
    return { ...nothing, command, not_run: error.message };
  }
}

/** The agent's own sandbox where it has one, for the command is the agent's; else as the tests are run. */
async function inSandbox(
  execution: Execution,
  command: string,
  signal: AbortSignal,
): Promise<ProbeRun> {
  const { control, deps } = execution.ctx;
  const { clock, verifier } = deps;
  if (!control.holdsLease()) await control.renewLease();
  const began = clock.monotonic();
  const run = await execInSession(execution, command, { signal, timeoutMs: PROBE_MS });
  if (run) return { ...run, duration_ms: Math.round(clock.monotonic() - began) };
  return verifier.probe(command, {
    cwd: execution.ctx.cwd,
    scope: scopeOf(execution.ctx),
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
    if (!ctx.control.holdsLease()) await ctx.control.renewLease();
    const run = await ctx.deps.verifier.probe(command, {
      cwd: ctx.cwd,
      scope: scopeOf(ctx),
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
