import {
  type FileChange,
  hasPassed,
  type LeftOut,
  type LoopEvent,
  type LoopState,
  orOn,
  outsideText,
  type Workspace,
} from "@ccw-loop/core";
import { changesBetween, claimedFiles, startTree } from "../proof/changes.ts";
import { type CheckpointContext, makeCheckpoint } from "./checkpoint.ts";
import { nowOf, type RunContext } from "./context.ts";
import type { Recorder } from "./recorder.ts";

/** How many files an event names; it counts all of them. */
const NAMED = 100;
/** How many passing test runs in a row may be of no use before a person is asked. */
const OUTDATED_PASSES_BEFORE_ASKING = 2;

export interface FileObserver extends CheckpointContext {
  recorder: Pick<Recorder, "record">;
}

/** What lies there now, and whether the loop was being driven since its last turn or test run. */
export interface FilesNow {
  tree: string;
  driven: boolean;
}

/**
 * Records what changed since the loop's last turn or test run ended; it belongs to no task. Returns the state after that;
 * null where nothing changed, or the files behind the last turn are not known.
 */
export async function recordOutsideChanges(
  at: FileObserver,
  state: LoopState,
  { tree, driven }: FilesNow,
): Promise<LoopState | null> {
  const from = state.workspace?.seen ?? null;
  if (from === null || from === tree) return null;
  const files = await changesBetween(at, from, tree);
  if (files === null || files.length === 0) {
    const event = { type: "workspace.measured", at: nowOf(at), tree } as const;
    return (await at.recorder.record(() => [event])).state;
  }
  const changed: LoopEvent = {
    type: "workspace.changed",
    at: nowOf(at),
    from,
    tree,
    files: files.slice(0, NAMED),
    total: files.length,
    driven,
    outdates: state.status !== "completed" && (!driven || hasPassed(state)),
    start: await rebaseTree(at.workspace, startTree(state), from, tree),
    base_tree: await rebaseTree(at.workspace, state.action?.base_tree, from, tree),
  };
  const kept = await makeCheckpoint(at, null, { outside: true, looked: tree });
  return (await at.recorder.record(() => [changed, ...(kept ? [kept.event] : [])])).state;
}

/** The files that changed since the last pass, once such changes have outdated several passes; otherwise null. */
export async function filesThatOutdateRuns(
  at: Pick<FileObserver, "workspace">,
  state: LoopState,
  tree: string,
): Promise<FileChange[] | null> {
  const tested = state.receipts?.at(-1)?.tree_after;
  if (!hasPassed(state) || !tested || tested === tree) return null;
  if ((state.workspace?.outdated_runs ?? 0) < OUTDATED_PASSES_BEFORE_ASKING) return null;
  return changesBetween(at, tested, tree);
}

/** The event that asks a person to stop whatever keeps changing these files. */
export function askToStopWriters(
  at: string,
  state: LoopState,
  files: readonly FileChange[],
): LoopEvent {
  const runs = (state.workspace?.outdated_runs ?? 0) + 1;
  const changed = outsideText(files.length, files);
  const prompt =
    `The tests passed ${runs} times, but behind each run files were changed while nothing of this loop ran. ` +
    `Now ${changed}. Stop what writes them, move them out of the project or ignore them in git; then answer: again`;
  return {
    type: "waiting.started",
    at,
    waiting: { kind: "input", about: "files", since: at, prompt, options: ["again"] },
  };
}

/** `tree` with the changes from `from` to `to`; null where it is not known or not there any more. */
async function rebaseTree(
  workspace: Workspace,
  tree: string | null | undefined,
  from: string,
  to: string,
): Promise<string | null> {
  if (tree === null || tree === undefined) return null;
  return orOn(workspace.withChanges(tree, from, to), ["invalid_input"], null);
}

/** How often a file changes while nothing of the loop runs, before it counts as one that others write. */
const CHANGES_BEFORE_EXCLUSION = 2;

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
    diff: async (from, to, options) => {
      const { files, ...patch } = await workspace.diff(from, to, options);
      return { ...patch, files: files.filter(isSeen) };
    },
    restore: (commit, leaves = []) => workspace.restore(commit, [...leaves, ...without()]),
    commitWorktree: (id, message) => workspace.commitWorktree(id, message, without()),
  };
}

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
  const often = (state.workspace?.outside ?? []).filter(
    ({ times }) => times >= CHANGES_BEFORE_EXCLUSION,
  );
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
