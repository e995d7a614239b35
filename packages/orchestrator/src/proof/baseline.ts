import {
  type Baseline,
  isLoopError,
  TESTS_KEPT,
  testStates,
  type Verification,
} from "@ccw-loop/core";
import type { Execution } from "../actions/action.ts";
import { nowOf } from "../run/context.ts";
import { startDeadline } from "../turns/deadline.ts";
import { keptStates } from "./receipt.ts";
import { testOnce } from "./run-tests.ts";
import { testPlan } from "./test-plan.ts";

/**
 * How the tests stand before anything is changed. A project without tests, or whose tests cannot be started yet,
 * has a baseline that says so. Rejects with the reason when the loop is stopped meanwhile.
 */
export async function measureBaseline(execution: Execution): Promise<Baseline> {
  const { ctx, state } = execution;
  const plan = await testPlan(ctx, state);
  if (!plan) return empty(execution, "No test command was found.");
  const deadline = startDeadline(execution);
  try {
    const { verification, tree_after } = await testOnce(ctx, "INIT", plan, deadline.signal);
    return {
      ...baselineOf(verification, tree_after, nowOf(ctx)),
      installed: await ctx.workspace.installed(),
    };
  } catch (error) {
    if (!isLoopError(error, "verify_unavailable")) throw error;
    return empty(execution, error.message);
  } finally {
    deadline.close();
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
    installed: await ctx.workspace.installed(),
  };
}
