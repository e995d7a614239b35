import {
  type ActionName,
  type FileChange,
  judgeRuns,
  type LoopState,
  type RunVerdict,
  type Verification,
  type VerifyPlan,
} from "@ccw-loop/core";
import { type RunContext, report, scopeOf } from "../run/context.ts";

/** One run of the tests, and the files it was a run of. */
interface TestRun {
  verification: Verification;
  tree_before: string;
  tree_after: string;
}

/** All runs for one verdict. */
export interface ProofRun {
  runs: readonly Verification[];
  verdict: RunVerdict;
  /** Of the last run. */
  tree_before: string;
  /** What was tested: the tree behind the last run, or the one before it when somebody else changed files meanwhile. */
  tree_after: string;
  /** What lies there behind the last run, tested or not. */
  tree_left: string;
  /** Files that changed during the first run: most often what the tests themselves write. */
  written: readonly string[];
  /** Files that changed during the last run, and not in the same way during the first: they were not tested. */
  untested: readonly string[];
}

const RERUNS = 2;

/**
 * Runs the tests as often as the verdict needs: a new failure is run again to see whether it is flaky, and a pass that
 * rests on tests which were red or not there before is confirmed once, as is one during which files changed.
 */
export async function runTests(
  ctx: RunContext,
  state: LoopState,
  plan: VerifyPlan,
  signal: AbortSignal,
): Promise<ProofRun> {
  const runs = [await testOnce(ctx, "VALIDATE", plan, signal)];
  const changed = runs.some((run) => run.tree_before !== run.tree_after);
  const judge = () => {
    const all = runs.map(({ verification }) => verification);
    // A test that fails with other files than those that it passed with is not flaky.
    const present = judgeRuns(state, changed && all.length > 1 ? all.slice(1) : all);
    return present.passed ? judgeRuns(state, all) : present;
  };
  let verdict = judge();
  const reruns = (state.settings?.flaky_reruns ?? RERUNS) + (changed ? 1 : 0);
  while (
    verdict.doubtful ? runs.length <= reruns : runs.length === 1 && isFresh(verdict, changed)
  ) {
    runs.push(await testOnce(ctx, "VALIDATE", plan, signal));
    verdict = judge();
  }
  return { runs: runs.map((run) => run.verification), verdict, ...(await treesOf(ctx, runs)) };
}

/** A pass that nothing of before speaks for. */
function isFresh({ passed, comparison }: RunVerdict, changed: boolean): boolean {
  return passed && (changed || comparison.fixed.length + comparison.added.length > 0);
}

/** What changes in every run is what the tests themselves write; anything else was not tested. */
async function treesOf(
  ctx: RunContext,
  runs: readonly TestRun[],
): Promise<Pick<ProofRun, "tree_before" | "tree_after" | "tree_left" | "written" | "untested">> {
  const [first, last] = [runs[0], runs.at(-1)];
  if (!first || !last) throw new TypeError("There is at least one run.");
  const written = (await changesOf(ctx, first)).map(({ path }) => path);
  const { tree_before, tree_after } = last;
  const trees = { tree_before, tree_left: tree_after };
  if (runs.length === 1) return { ...trees, tree_after, written, untested: [] };
  const changed = (await changesOf(ctx, last)).map(({ path }) => path);
  const untested = changed.filter((path) => !written.includes(path));
  return {
    ...trees,
    tree_after: untested.length > 0 ? tree_before : tree_after,
    ...{ written, untested },
  };
}

/** One run, whatever it says. */
export async function testOnce(
  ctx: RunContext,
  action: ActionName,
  plan: VerifyPlan,
  signal: AbortSignal,
): Promise<TestRun> {
  const { verifier, verifyTimeoutMs: timeoutMs } = ctx.deps;
  const tree_before = await ctx.workspace.tree();
  if (!ctx.control.holdsLease()) await ctx.control.renewLease();
  const verification = await verifier.verify(plan, {
    cwd: ctx.cwd,
    signal,
    timeoutMs,
    scope: scopeOf(ctx),
    onOutput: (text) => report(ctx, action, { type: "verify.output", text }),
  });
  return { verification, tree_before, tree_after: await ctx.workspace.tree() };
}

async function changesOf(ctx: RunContext, run: TestRun): Promise<FileChange[]> {
  if (run.tree_before === run.tree_after) return [];
  return ctx.workspace.changes(run.tree_before, run.tree_after);
}
