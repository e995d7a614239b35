import {
  type Baseline,
  decide,
  fileOfFailedAssertion,
  isLoopError,
  LoopError,
  type Missing,
  modeOf,
  type ProbeOptions,
  TESTS_KEPT,
  testStates,
  testTimeoutOf,
  type Verification,
  type Verifier,
  type VerifyPlan,
} from "@ccw-loop/core";
import { type Execution, nowOf, type RunContext } from "../run/context.ts";
import { startDeadline } from "../turns/deadline.ts";
import { keptStates } from "./receipt.ts";
import { testOnce, testPlan } from "./run-tests.ts";

/**
 * How the tests stand before anything is changed; `looked` is the tree that was named just before, null where none was. A
 * project without tests, or whose test program the work may have to make, has a baseline that says so. Throws `verify_unavailable` where something is missing that the tests need; rejects with
 * the reason when the loop is stopped meanwhile.
 */
export async function measureBaseline(
  execution: Execution,
  looked: string | null,
): Promise<Baseline> {
  const { ctx, state } = execution;
  const deadline = startDeadline(execution);
  try {
    const setup = await prepare(execution, deadline.signal);
    const plan = await testPlan(ctx, state);
    const baseline = plan
      ? await measured(execution, plan, deadline.signal)
      : await empty(execution, "No test command was found.", setup ? null : looked);
    const installed = await ctx.workspace.installed();
    return { ...baseline, installed, ...(setup ? { setup } : {}) };
  } finally {
    deadline.close();
  }
}

async function measured(
  execution: Execution,
  plan: VerifyPlan,
  signal: AbortSignal,
): Promise<Baseline> {
  const { ctx, state } = execution;
  const { verifier } = ctx.deps;
  try {
    const { verification, tree_after } = await testOnce(ctx, state, plan, {
      action: "INIT",
      signal,
    });
    const missing = await verifier.missing(plan, ctx.cwd, verification);
    if (missing.length > 0) throw testsCannotRun(missing);
    return baselineOf(verification, tree_after, ctx);
  } catch (error) {
    if (!isLoopError(error, "verify_unavailable") || error.details.missing) throw error;
    const missing = await verifier.missing(plan, ctx.cwd, null);
    if (missing.length > 0) throw testsCannotRun(missing, error);
    // A program of the project's own may be what the work is to make.
    if (!String(error.details.program ?? "").includes("/")) throw error;
    return empty(execution, error.message, null);
  }
}

/** `tree` is the one behind the run, so that what the tests write is not taken for the loop's work. */
function baselineOf(run: Verification, tree: string, ctx: RunContext): Baseline {
  const tests = testStates(run.tests);
  return {
    at: nowOf(ctx),
    tree,
    command: run.command,
    reason: run.reason,
    counts: run.counts,
    tests: keptStates(tests),
    complete: run.counts.total === run.tests.length && Object.keys(tests).length <= TESTS_KEPT,
    commands: run.commands,
    coverage: run.coverage,
    test_files: Object.keys(run.test_files).slice(0, TESTS_KEPT),
    asserting_files: assertingFiles(run, ctx.cwd),
  };
}

export function assertingFiles({ tests }: Verification, cwd: string): string[] {
  const found = tests.flatMap(
    ({ stack_trace }) => fileOfFailedAssertion(stack_trace ?? "", cwd) ?? [],
  );
  return [...new Set(found)].slice(0, TESTS_KEPT);
}

async function empty({ ctx }: Execution, reason: string, looked: string | null): Promise<Baseline> {
  return {
    at: nowOf(ctx),
    tree: looked ?? (await ctx.workspace.tree()),
    command: "",
    reason,
    counts: { total: 0, passed: 0, failed: 0, skipped: 0 },
    tests: {},
    complete: true,
    commands: [],
    coverage: null,
    test_files: [],
    asserting_files: [],
  };
}

/**
 * The error for tests that cannot be run because something is missing. It ends the loop before the agent's first turn.
 */
export function testsCannotRun(missing: readonly Missing[], cause?: unknown): LoopError {
  const what = missing.map(({ message }) => message).join(" ");
  const command = commandFor(missing);
  const next =
    command === null ? "Bring it, or name other tests with --verify." : `Run: ${command}`;
  const message = `The tests cannot be run here. ${what} ${next}`;
  return new LoopError("verify_unavailable", message, { details: { missing }, cause });
}

function commandFor(missing: readonly Missing[]): string | null {
  const commands = missing.map(({ command }) => command);
  return commands.includes(null) ? null : [...new Set(commands)].join(" && ");
}

/** Runs the loop's setup command, where it has one. Throws `verify_unavailable` when it fails. */
async function prepare({ ctx, state }: Execution, signal: AbortSignal): Promise<Baseline["setup"]> {
  const command = state.settings?.setup;
  if (!command?.trim()) return undefined;
  const { verifier, verifyTimeoutMs } = ctx.deps;
  const timeoutMs = testTimeoutOf(state, verifyTimeoutMs);
  ctx.watcher.requireLease();
  const options = { cwd: ctx.cwd, signal, timeoutMs, scope: ctx.scope };
  return runSetup(verifier, command, { ...options, next: "Correct it, or leave --setup out." });
}

/**
 * Asks the person at an interactive loop whether the command that brings what is missing may be run. Answers with the
 * execution of a loop that runs it; null where nobody is asked, or the answer is no.
 */
export async function offerSetup(execution: Execution, error: unknown): Promise<Execution | null> {
  const { ctx, state, asking } = execution;
  if (!isLoopError(error, "verify_unavailable")) return null;
  const missing = (error.details.missing ?? []) as readonly Missing[];
  const setup = commandFor(missing);
  const ask = modeOf(state) === "interactive" ? ctx.options.askSetup : undefined;
  if (!ask || missing.length === 0 || setup === null) return null;
  if (!(await asking(ask(missing, state)))) return null;
  const { state: newest } = await ctx.recorder.record((current) =>
    decide(current, { type: "edit", changes: { settings: { setup } } }, nowOf(ctx)),
  );
  return { ...execution, state: newest };
}

export interface Setup {
  command: string;
  duration_ms: number;
}

/**
 * Runs the operator's command that installs what the tests need, as the tests are run. Throws `verify_unavailable` when it
 * fails, with `next` as the next step.
 */
export async function runSetup(
  verifier: Verifier,
  command: string,
  { next, ...options }: ProbeOptions & { next: string },
): Promise<Setup> {
  const { exit_code, duration_ms, output, timed_out } = await verifier.probe(command, options);
  if (exit_code === 0) return { command, duration_ms };
  const end = timed_out ? "was ended by the time limit" : `exited with ${exit_code ?? "a signal"}`;
  const [last = ""] = output.trim().split("\n").slice(-1);
  throw new LoopError(
    "verify_unavailable",
    `The setup command "${command}" ${end}. ${last} ${next}`,
    { details: { command, output: output.slice(-2000) } },
  );
}
