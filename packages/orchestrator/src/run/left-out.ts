import type { LeftOut, LoopState, Workspace } from "@ccw-loop/core";
import { claimedFiles } from "../proof/start.ts";
import { nowOf, type RunContext } from "./context.ts";

/** How often a file changes while nothing of the loop runs, before it counts as one that others write. */
const RESTLESS_TIMES = 2;

/** The workspace as a loop sees it: without the files that are left out, of which there may be more with time. */
export function excluding(workspace: Workspace, leftOut: ReadonlySet<string>): Workspace {
  const without = () => [...leftOut];
  const isSeen = ({ path }: { path: string }) => !leftOut.has(path);
  return {
    ...workspace,
    tree: () => workspace.tree(without()),
    changes: async (from, to) => (await workspace.changes(from, to)).filter(isSeen),
    checkpoint: (id, n, message, options) =>
      workspace.checkpoint(id, n, message, { ...options, without: without() }),
    diff: async (from, to) => {
      const { files, patch } = await workspace.diff(from, to);
      return { files: files.filter(isSeen), patch };
    },
    restore: (commit, leaves = []) => workspace.restore(commit, [...leaves, ...without()]),
    commitWorktree: (id, message) => workspace.commitWorktree(id, message, without()),
  };
}

/** The paths that a state leaves out. */
export function excludedPaths({ workspace }: LoopState): Set<string> {
  return new Set(workspace?.left_out?.map(({ path }) => path));
}

/** Leaves out the files that the output of this very process goes to: it writes them itself, and no turn does. */
export async function excludeOutputs(ctx: RunContext): Promise<void> {
  const { cwd, deps, workspace } = ctx;
  const paths = await deps.files.outputsIn(cwd, () => workspace.untracked());
  const files = paths.filter((path) => !ctx.leftOut.has(path));
  await excludeFiles(
    ctx,
    files.map((path): LeftOut => ({ path, why: "output" })),
  );
}

/**
 * Leaves out untracked files that change again and again between the loop's own turns and test runs, and that no turn
 * says it wrote. What the tests say without them is found out by running them, at the latest before COMPLETE (ADR 23).
 */
export async function excludeRestless(ctx: RunContext, state: LoopState): Promise<void> {
  const often = (state.workspace?.outside ?? []).filter(({ times }) => times >= RESTLESS_TIMES);
  if (often.length === 0) return;
  const untracked = new Set(await ctx.workspace.untracked());
  const claimed = claimedFiles(state);
  const files = often
    .filter(({ path }) => untracked.has(path) && !claimed.has(path) && !ctx.leftOut.has(path))
    .map(({ path }): LeftOut => ({ path, why: "restless" }));
  await excludeFiles(ctx, files);
}

async function excludeFiles(ctx: RunContext, files: LeftOut[]): Promise<void> {
  if (files.length === 0) return;
  for (const { path } of files) ctx.leftOut.add(path);
  const tree = await ctx.workspace.tree();
  await ctx.recorder.record(() => [{ type: "files.left_out", at: nowOf(ctx), files, tree }]);
}
