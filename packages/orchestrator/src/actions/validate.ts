import type { LoopEvent, LoopState, Receipt, TestResult, VerifyPlan } from "@ccw-loop/core";
import { nowOf } from "../run/context.ts";
import { startDeadline } from "../turns/deadline.ts";
import { type ActionEnd, type Execution, interrupted } from "./action.ts";
import { runTests, type TestRun } from "./run-tests.ts";

/** How many test results the state file keeps; failures first. Counts in the receipt are of all. */
const RESULTS_KEPT = 500;
/** How many failures keep their stack trace there, and how many characters of a text. */
const STACKS_KEPT = 50;
const TEXT_KEPT = 2000;

const NO_TESTS =
  "No test command was found in this project, so nothing can prove the work done. " +
  "Answer with the command that runs its tests (or give it with --verify COMMAND), or accept that there is " +
  "none with --waive-tests REASON.";

/** VALIDATE: the orchestrator runs the project's own tests and keeps the receipt (DESIGN §7). */
export async function runValidate(execution: Execution): Promise<ActionEnd> {
  const { ctx, state } = execution;
  const { deps } = ctx;
  const plan = await deps.verifier.detect(deps.cwd, state.settings?.verify);
  if (!plan) {
    const reason = state.settings?.waive_tests;
    if (reason === undefined) return { kind: "question", prompt: NO_TESTS };
    const tree = await ctx.workspace.tree();
    return done(execution, waivedReceipt(execution, reason, tree), [], null);
  }
  const run = await inTime(execution, plan);
  const { tests, coverage } = run.verification;
  return done(execution, receiptOf(execution, run), keptResults(tests), coverage);
}

/** The tests are work like any other: they end when the loop's working time does. */
async function inTime(execution: Execution, plan: VerifyPlan): Promise<TestRun> {
  const deadline = startDeadline(execution);
  try {
    return await runTests(execution.ctx, plan, deadline.signal);
  } finally {
    deadline.close();
  }
}

function done(
  execution: Execution,
  receipt: Receipt,
  test_results: TestResult[],
  coverage: number | null,
): ActionEnd {
  return {
    kind: "events",
    events: (newest): LoopEvent[] => {
      if (asksForOtherTests(execution.state, newest)) {
        return [interrupted(execution, "VALIDATE", "The test command was changed meanwhile.")];
      }
      return [
        {
          type: "action.completed",
          at: nowOf(execution.ctx),
          action: "VALIDATE",
          message: receipt.reason,
          active_ms: execution.activeMs(),
          output: { action: "VALIDATE", receipt, test_results, coverage },
        },
      ];
    },
  };
}

/** An operator who names other tests, or gives a waiver, while the old ones run does not want their result. */
function asksForOtherTests({ settings: before }: LoopState, { settings: now }: LoopState): boolean {
  return before?.verify !== now?.verify || before?.waive_tests !== now?.waive_tests;
}

function receiptOf(
  { ctx, state }: Execution,
  { verification, tree_before, tree_after }: TestRun,
): Receipt {
  const { tests: _tests, coverage: _coverage, ...facts } = verification;
  return {
    ...facts,
    id: receiptId(state.current_iteration + 1),
    iteration: state.current_iteration + 1,
    cwd: ctx.deps.cwd,
    tree_before,
    tree_after,
  };
}

function waivedReceipt({ ctx, state }: Execution, reason: string, tree: string): Receipt {
  return {
    id: receiptId(state.current_iteration + 1),
    iteration: state.current_iteration + 1,
    command: "",
    cwd: ctx.deps.cwd,
    started_at: nowOf(ctx),
    duration_ms: 0,
    exit_code: null,
    report: null,
    counts: { total: 0, passed: 0, failed: 0, skipped: 0 },
    passed: true,
    reason: `Tests are waived by the operator: ${reason}`,
    tree_before: tree,
    tree_after: tree,
    test_files: {},
    waived: reason,
  };
}

function receiptId(iteration: number): string {
  return `receipt-${String(iteration).padStart(3, "0")}`;
}

/** What goes into the state file, which is written whole with every commit. */
function keptResults(tests: readonly TestResult[]): TestResult[] {
  const failures = tests.filter((t) => t.status === "failed");
  const others = tests.filter((t) => t.status !== "failed");
  return [...failures, ...others].slice(0, RESULTS_KEPT).map((test, n) => ({
    ...test,
    error_message: test.error_message?.slice(0, TEXT_KEPT) ?? null,
    stack_trace: n < STACKS_KEPT ? (test.stack_trace?.slice(0, TEXT_KEPT) ?? null) : null,
  }));
}
