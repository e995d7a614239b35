import {
  type LoopEvent,
  type LoopState,
  mergeRuns,
  type Receipt,
  type TestResult,
  tasksOf,
  type VerifyPlan,
} from "@ccw-loop/core";
import { coverageGap } from "../proof/coverage-gate.ts";
import { type Kept, keepFiles } from "../proof/keep-files.ts";
import { objectionsToSetAside } from "../proof/objections.ts";
import { keptStates, receiptId, sealed, testsDigest } from "../proof/receipt.ts";
import { type ProofRun, runTests } from "../proof/run-tests.ts";
import { measureSquare } from "../proof/square.ts";
import { testPlan } from "../proof/test-plan.ts";
import { nowOf } from "../run/context.ts";
import { startDeadline } from "../turns/deadline.ts";
import { type ActionEnd, type Execution, interrupted } from "./action.ts";
import { waivedReceipt } from "./waive.ts";

/** How many test results the state file keeps; failures first. Counts in the receipt are of all. */
const RESULTS_KEPT = 500;
/** How many failures keep their stack trace there, and how many characters of a text. */
const STACKS_KEPT = 50;
const TEXT_KEPT = 2000;
/** How many files keep their coverage there. */
const FILES_KEPT = 500;

const NO_TESTS =
  "No test command was found in this project, so nothing can prove the work done. " +
  "Answer with the command that runs its tests (or give it with --verify COMMAND), or accept that there is " +
  "none with --waive-tests REASON.";

/** What one VALIDATE found out beside the receipt. */
interface Results {
  test_results: TestResult[];
  coverage: number | null;
  coverage_files?: { path: string; lines: number }[];
}

/**
 * VALIDATE: the orchestrator runs the project's own tests and keeps the receipt; where they pass and no work is open,
 * the receipt gets the square (DESIGN §7).
 */
export async function runValidate(execution: Execution): Promise<ActionEnd> {
  const { ctx, state } = execution;
  const plan = await testPlan(ctx, state);
  if (!plan) {
    const reason = state.settings?.waive_tests;
    if (reason === undefined) return { kind: "question", prompt: NO_TESTS };
    const kept = await keepFiles(ctx, "VALIDATE");
    const receipt = sealed(await waivedReceipt(execution, reason));
    return ended(execution, receipt, { test_results: [], coverage: null }, kept);
  }
  const deadline = startDeadline(execution);
  try {
    const proof = await runTests(ctx, state, plan, deadline.signal);
    return await judged(execution, plan, proof, deadline.signal);
  } finally {
    deadline.close();
  }
}

async function judged(
  execution: Execution,
  plan: VerifyPlan,
  proof: ProofRun,
  signal: AbortSignal,
): Promise<ActionEnd> {
  const { ctx, state } = execution;
  const last = proof.runs.at(-1);
  if (!last) throw new TypeError("There is at least one run.");
  const kept = await keepFiles(ctx, "VALIDATE");
  const commit = kept?.checkpoint.tree === proof.tree_after ? kept.checkpoint.commit : null;
  const gap = proof.verdict.passed ? await coverageGap(ctx, state, last, commit) : null;
  const passed = proof.verdict.passed && gap === null;
  const done = tasksOf(state).every((task) => task.status === "completed");
  const { square, objections } =
    passed && done
      ? await measureSquare({ ctx, state, plan, proof, kept, signal })
      : { square: null, objections: [] };
  const { tests: _tests, coverage, coverage_files, ...facts } = last;
  const { states } = mergeRuns(proof.runs.map(({ tests }) => tests));
  const receipt: Receipt = {
    ...facts,
    id: receiptId(state),
    iteration: state.current_iteration + 1,
    cwd: ctx.cwd,
    passed,
    reason: gap ?? `${proof.verdict.reason}${untestedNote(proof)}`,
    tree_before: proof.tree_before,
    tree_after: proof.tree_after,
    tests: keptStates(states),
    tests_digest: testsDigest(states),
    runs: proof.runs.length,
    comparison: proof.verdict.comparison,
    objections: [...objections, ...objectionsToSetAside(state, proof)],
    ...(square ? { square } : {}),
    checkpoint: commit,
  };
  const results = {
    test_results: keptResults(last.tests),
    coverage,
    coverage_files: coverage_files.slice(0, FILES_KEPT).map(({ path, lines }) => ({ path, lines })),
  };
  return ended(execution, sealed(receipt), results, kept);
}

/** Why a pass will have to be given again: a test that writes other files each time never ends. */
function untestedNote({ verdict, untested }: ProofRun): string {
  if (!verdict.passed || untested.length === 0) return "";
  const shown = untested.slice(0, 3).join(", ");
  return ` Files changed while they ran and were not tested: ${shown}. Ignore them in git if the tests write them.`;
}

function ended(
  execution: Execution,
  receipt: Receipt,
  results: Results,
  kept: Kept | null,
): ActionEnd {
  return {
    kind: "events",
    events: (newest): LoopEvent[] => {
      if (asksForOtherTests(execution.state, newest)) {
        const reason = "What is to be proven was changed meanwhile.";
        return [interrupted(execution, "VALIDATE", reason, "operator")];
      }
      return [
        {
          type: "action.completed",
          at: nowOf(execution.ctx),
          action: "VALIDATE",
          message: receipt.reason,
          active_ms: execution.activeMs(),
          output: { action: "VALIDATE", receipt, ...results },
        },
        ...(kept ? [kept.event] : []),
      ];
    },
  };
}

/** An operator who asks for another proof, or waives it, while this one is made does not want its result. */
function asksForOtherTests({ settings: before }: LoopState, { settings: now }: LoopState): boolean {
  const asked = (settings: LoopState["settings"]) => {
    const { mode: _, agent: _agent, model: _model, session: _session, ...proof } = settings ?? {};
    return JSON.stringify(proof);
  };
  return asked(before) !== asked(now);
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
