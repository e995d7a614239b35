import {
  type Baseline,
  isLoopError,
  TESTS_KEPT,
  testStates,
  type Verification,
  type VerifyPlan,
} from "@ccw-loop/core";
import type { Execution } from "../actions/action.ts";
import { nowOf } from "../run/context.ts";
import { startDeadline } from "../turns/deadline.ts";
import { keptStates } from "./receipt.ts";
import { testOnce } from "./run-tests.ts";
import { runSetup, testsCannotRun } from "./setup.ts";
import { testPlan } from "./test-plan.ts";

/**
 * How the tests stand before anything is changed. A project without tests, or whose test program the work may have to make,
 * has a baseline that says so. Throws `verify_unavailable` where something is missing that the tests need; rejects with
 * the reason when the loop is stopped meanwhile.
 */
export async function measureBaseline(execution: Execution): Promise<Baseline> {
  const { ctx, state } = execution;
  const deadline = startDeadline(execution);
  try {
    const setup = await runSetup(execution, deadline.signal);
    const plan = await testPlan(ctx, state);
    const baseline = plan
      ? await measured(execution, plan, deadline.signal)
      : await empty(execution, "No test command was found.");
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
    return baselineOf(verification, tree_after, nowOf(ctx));
  } catch (error) {
    if (!isLoopError(error, "verify_unavailable") || error.details.missing) throw error;
    const missing = await verifier.missing(plan, ctx.cwd, null);
    if (missing.length > 0) throw testsCannotRun(missing, error);
    // A program of the project's own may be what the work is to make.
    if (!String(error.details.program ?? "").includes("/")) throw error;
    return empty(execution, error.message);
  }
}

/** `tree` is the one behind the run, so that what the tests write is not taken for the loop's work. */
function baselineOf(run: Verification, tree: string, at: string): Baseline {
  const tests = testStates(run.tests);
  return {
    at,
    tree,
    command: run.command,
    reason: run.reason,
    counts: run.counts,
    tests: keptStates(tests),
    complete: run.counts.total === run.tests.length && Object.keys(tests).length <= TESTS_KEPT,
    commands: run.commands,
    coverage: run.coverage,
    test_files: Object.keys(run.test_files).slice(0, TESTS_KEPT),
  };
}

async function empty(execution: Execution, reason: string): Promise<Baseline> {
  const { ctx } = execution;
  return {
    at: nowOf(ctx),
    tree: await ctx.workspace.tree(),
    command: "",
    reason,
    counts: { total: 0, passed: 0, failed: 0, skipped: 0 },
    tests: {},
    complete: true,
    commands: [],
    coverage: null,
    test_files: [],
  };
}
