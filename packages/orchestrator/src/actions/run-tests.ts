import type { FileChange, Verification, VerifyPlan } from "@ccw-loop/core";
import { type RunContext, report } from "../run/context.ts";

/** One run of the tests, and the files it was a run of. */
export interface TestRun {
  verification: Verification;
  tree_before: string;
  /** What was tested: the tree behind the run, or the one before it when somebody else changed files meanwhile. */
  tree_after: string;
}

/**
 * Runs the tests. A pass during which files changed tells nothing sure of the files that are there now, so it is
 * repeated once: what changes both times is what the tests themselves write; anything else was not tested.
 */
export async function runTests(
  ctx: RunContext,
  plan: VerifyPlan,
  signal: AbortSignal,
): Promise<TestRun> {
  const first = await once(ctx, plan, signal);
  if (!first.verification.passed || first.tree_before === first.tree_after) return first;
  const second = await once(ctx, plan, signal);
  const own = new Set((await changesOf(ctx, first)).map(({ path }) => path));
  const foreign = (await changesOf(ctx, second)).some(({ path }) => !own.has(path));
  return foreign ? { ...second, tree_after: second.tree_before } : second;
}

async function once(ctx: RunContext, plan: VerifyPlan, signal: AbortSignal): Promise<TestRun> {
  const { verifier, cwd, verifyTimeoutMs: timeoutMs } = ctx.deps;
  const tree_before = await ctx.workspace.tree();
  const verification = await verifier.verify(plan, {
    cwd,
    signal,
    timeoutMs,
    onOutput: (text) => report(ctx, "VALIDATE", { type: "verify.output", text }),
  });
  return { verification, tree_before, tree_after: await ctx.workspace.tree() };
}

async function changesOf(ctx: RunContext, run: TestRun): Promise<FileChange[]> {
  return ctx.workspace.changes(run.tree_before, run.tree_after);
}
