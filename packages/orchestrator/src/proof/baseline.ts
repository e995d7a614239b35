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
    const { verification, tree_before } = await testOnce(ctx, "INIT", plan, deadline.signal);
    return { ...baselineOf(verification, tree_before, nowOf(ctx)), asked: askedFor(execution) };
  } catch (error) {
    if (!isLoopError(error, "verify_unavailable")) throw error;
    return empty(execution, error.message);
  } finally {
    deadline.close();
  }
}

function askedFor({ state }: Execution): string {
  return `${state.title}\n${state.description}`;
}

function baselineOf(run: Verification, tree: string, at: string): Baseline {
  const tests = testStates(run.tests);
  const names = Object.keys(tests);
  return {
    at,
    tree,
    command: run.command,
    reason: run.reason,
    counts: run.counts,
    tests: Object.fromEntries(names.slice(0, TESTS_KEPT).map((id) => [id, tests[id] ?? "passed"])),
    complete: run.counts.total === run.tests.length && names.length <= TESTS_KEPT,
    commands: run.commands,
    coverage: run.coverage,
    runners: run.runners,
  };
}

async function empty(execution: Execution, reason: string): Promise<Baseline> {
  const { ctx } = execution;
  return {
    at: nowOf(ctx),
    asked: askedFor(execution),
    tree: await ctx.workspace.tree(),
    command: "",
    reason,
    counts: { total: 0, passed: 0, failed: 0, skipped: 0 },
    tests: {},
    complete: true,
    commands: [],
    coverage: null,
    runners: {},
  };
}
