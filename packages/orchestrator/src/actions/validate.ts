import {
  type LeftOut,
  type LoopEvent,
  type LoopState,
  mergeRuns,
  type OutputOf,
  type ProbeEvidence,
  type Receipt,
  TEST_ANSWERS,
  type TestResult,
  tasksOf,
  type VerifyPlan,
} from "@ccw-loop/core";
import { measureSquare } from "../proof/measure-square.ts";
import { coverageGap, objectionsToNoChange, objectionsToSetAside } from "../proof/objections.ts";
import { digestOf, keptStates, receiptId, receiptTerms, sealed } from "../proof/receipt.ts";
import { withReviews } from "../proof/review.ts";
import { failsWithoutRestless, type ProofRun, runTests, testPlan } from "../proof/run-tests.ts";
import { type MadeCheckpoint, makeCheckpoint } from "../run/checkpoint.ts";
import {
  type ActionEnd,
  actionCompleted,
  type Execution,
  interrupted,
  nowOf,
  withTree,
} from "../run/context.ts";
import { startDeadline } from "../turns/deadline.ts";
import { probesAfterFix } from "./debug/probes.ts";

/** How many test results the state file keeps; failures first. Counts in the receipt are of all. */
const RESULTS_KEPT = 500;
/** How many failures keep their stack trace there, and how many characters of a text. */
const STACKS_KEPT = 50;
const TEXT_KEPT = 2000;
/** How many files keep their coverage there. */
const FILES_KEPT = 500;

const NO_TESTS =
  "No test command was found in this project, so nothing can prove the work done. " +
  "Give the command that runs its tests, such as npm test. Where there is nothing to test, continue without tests and say why.";

/**
 * VALIDATE: the orchestrator runs the tests of the project and keeps the receipt; where they pass and no work is open,
 * the receipt gets the square.
 */
export async function runValidate(execution: Execution): Promise<ActionEnd> {
  const { ctx, state } = execution;
  const plan = await testPlan(ctx, state);
  if (!plan) {
    const reason = state.settings?.waive_tests;
    if (reason === undefined) {
      return { kind: "question", about: "tests", prompt: NO_TESTS, options: [...TEST_ANSWERS] };
    }
    const tree = execution.looked ?? (await ctx.workspace.tree());
    const kept = await makeCheckpoint(ctx, "VALIDATE", { looked: tree });
    const waived = await withReviews(execution, await waivedReceipt(execution, reason, tree), {
      commit: kept?.checkpoint.tree === tree ? kept.checkpoint.commit : null,
      tests: null,
      signal: ctx.watcher.signal,
    });
    const receipt = sealed(waived, await ctx.deps.sealKey());
    const output = { action: "VALIDATE" as const, receipt, test_results: [], coverage: null };
    return ended(execution, output, kept?.checkpoint.tree ?? tree, kept);
  }
  const deadline = startDeadline(execution);
  try {
    // Before the tests, so that these are run on what a probe may leave.
    const probes = await probesAfterFix(execution, deadline.signal);
    const looked = probes.length > 0 ? null : execution.looked;
    const proof = await runTests(ctx, state, plan, { looked, signal: deadline.signal });
    const kept = await makeCheckpoint(ctx, "VALIDATE", { looked: proof.tree_left });
    const commit = kept?.checkpoint.tree === proof.tree_after ? kept.checkpoint.commit : null;
    return await judgeRun(execution, {
      plan,
      proof,
      probes,
      kept,
      commit,
      signal: deadline.signal,
    });
  } finally {
    deadline.close();
  }
}

/** Nobody but a person can say whether a pass counts that needs files which change by themselves. */
function askForFiles(files: readonly LeftOut[], why: string): ActionEnd {
  const names = files.map(({ path }) => path).join(", ");
  const prompt =
    `${names} changes while nothing of this loop runs, and the tests do not pass without it (${why}). ` +
    "So no run can be one of the files as they are. Stop what writes it, or move it out of the project; then answer: again";
  return { kind: "question", about: "files", prompt, options: ["again"] };
}

interface Measured {
  plan: VerifyPlan;
  proof: ProofRun;
  probes: ProbeEvidence[];
  kept: MadeCheckpoint | null;
  commit: string | null;
  signal: AbortSignal;
}

async function judgeRun(
  execution: Execution,
  { plan, proof, probes, kept, commit, signal }: Measured,
): Promise<ActionEnd> {
  const { ctx, state } = execution;
  const last = proof.runs.at(-1);
  if (!last) throw new TypeError("There is at least one run.");
  const gap = proof.verdict.passed ? await coverageGap(ctx, state, last, commit) : null;
  const passed = proof.verdict.passed && gap === null;
  const done = tasksOf(state).every((task) => task.status === "completed");
  const { square, objections } =
    passed && done
      ? await measureSquare({ ctx, state, plan, proof, kept, signal })
      : { square: null, objections: [] };
  const restless = (state.workspace?.left_out ?? []).filter(({ why }) => why === "restless");
  // A verdict that says yes was given where none of these files is as it is now.
  const isOpen = objections.length > 0 || (square?.in_place.length ?? 0) > 0;
  if (passed && done && restless.length > 0 && isOpen) {
    const why = await failsWithoutRestless(execution, plan, commit, signal);
    if (why !== null) return askForFiles(restless, why);
  }
  const { tests: _tests, coverage, coverage_files, ...facts } = last;
  const { states } = mergeRuns(proof.runs.map(({ tests }) => tests));
  const tested: Receipt = {
    ...facts,
    id: receiptId(state),
    iteration: state.current_iteration + 1,
    cwd: ctx.cwd,
    passed,
    reason: gap ?? `${proof.verdict.reason}${untestedNote(proof)}`,
    tree_before: proof.tree_before,
    tree_after: proof.tree_after,
    tests: keptStates(states),
    tests_digest: digestOf(states),
    runs: proof.runs.length,
    comparison: proof.verdict.comparison,
    objections: [...objections, ...objectionsToSetAside(state, proof)],
    ...(square ? { square } : {}),
    ...receiptTerms(state),
    checkpoint: commit,
    ...(ctx.leftOut.size > 0 ? { left_out: [...ctx.leftOut].sort() } : {}),
  };
  const tests = { plan, present: last };
  const receipt = await withReviews(execution, tested, { commit, tests, signal });
  const output: OutputOf<"VALIDATE"> = {
    action: "VALIDATE",
    receipt: sealed(receipt, await ctx.deps.sealKey()),
    test_results: keptResults(last.tests),
    coverage,
    coverage_files: coverage_files.slice(0, FILES_KEPT).map(({ path, lines }) => ({ path, lines })),
    ...(probes.length > 0 ? { probes } : {}),
  };
  return ended(execution, output, kept?.checkpoint.tree ?? proof.tree_left, kept);
}

/** Why a pass will have to be given again: a test that writes other files each time never ends. */
function untestedNote({ verdict, untested }: ProofRun): string {
  if (!verdict.passed || untested.length === 0) return "";
  const shown = untested.slice(0, 3).join(", ");
  return ` Files changed while they ran and were not tested: ${shown}. Ignore them in git if the tests write them.`;
}

function ended(
  execution: Execution,
  output: OutputOf<"VALIDATE">,
  tree: string | null,
  kept: MadeCheckpoint | null,
): ActionEnd {
  return {
    kind: "events",
    events: (newest): LoopEvent[] => {
      if (asksForOtherTests(execution.state, newest)) {
        const reason = "What is to be proven was changed meanwhile.";
        return [withTree(tree)(interrupted(execution, "VALIDATE", reason, "operator"))];
      }
      const completed = actionCompleted(execution, output.receipt.reason, output);
      return [withTree(tree)(completed), ...(kept ? [kept.event] : [])];
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

/** The operator's own word in the place of a run, for a project without tests; it is no word for work that is not there. */
async function waivedReceipt(
  { ctx, state }: Execution,
  reason: string,
  tree: string,
): Promise<Receipt> {
  return {
    id: receiptId(state),
    iteration: state.current_iteration + 1,
    command: "",
    cwd: ctx.cwd,
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
    commands: [],
    tests_digest: null,
    runs: 1,
    objections: await objectionsToNoChange(ctx, state, { tree_after: tree, written: [] }),
    checkpoint: null,
    ...receiptTerms(state),
  };
}
