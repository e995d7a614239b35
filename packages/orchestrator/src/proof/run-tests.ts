import { posix } from "node:path";
import {
  type ActionName,
  type FileChange,
  isLoopError,
  judgeRuns,
  type LoopState,
  type RunVerdict,
  testTimeoutOf,
  type Verification,
  type VerifyPlan,
} from "@ccw-loop/core";
import { type Execution, type RunContext, report } from "../run/context.ts";
import { inCleanRooms, runInRoom, squareDepsOf } from "./rooms.ts";

interface TestRun {
  verification: Verification;
  tree_before: string;
  tree_after: string;
}

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

interface RunOptions {
  /** The tree that was named since anything ran; null where it is to be named. */
  looked: string | null;
  signal: AbortSignal;
}

/**
 * Runs the tests as often as the verdict needs: a new failure is run again to see whether it is flaky, and a pass that
 * rests on tests which were red or not there before is confirmed once, as is one during which files changed.
 */
export async function runTests(
  ctx: RunContext,
  state: LoopState,
  plan: VerifyPlan,
  { looked, signal }: RunOptions,
): Promise<ProofRun> {
  const testAgain = async (before: string | null): Promise<TestRun> => {
    const tree_before = before ?? (await ctx.workspace.tree());
    return { tree_before, ...(await testOnce(ctx, state, plan, { action: "VALIDATE", signal })) };
  };
  const runs = [await testAgain(looked)];
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
    runs.push(await testAgain(runs.at(-1)?.tree_after ?? null));
    verdict = judge();
  }
  return {
    runs: runs.map((run) => run.verification),
    verdict,
    ...(await treesOf(ctx, state, runs)),
  };
}

/** A pass that nothing of before speaks for. */
function isFresh({ passed, comparison }: RunVerdict, changed: boolean): boolean {
  return passed && (changed || comparison.fixed.length + comparison.added.length > 0);
}

/** What changes in every run is what the tests themselves write; anything else was not tested. */
async function treesOf(
  ctx: RunContext,
  state: LoopState,
  runs: readonly TestRun[],
): Promise<Pick<ProofRun, "tree_before" | "tree_after" | "tree_left" | "written" | "untested">> {
  const [first, last] = [runs[0], runs.at(-1)];
  if (!first || !last) throw new TypeError("There is at least one run.");
  const before = await changesOf(ctx, first);
  const written = before.map(({ path }) => path);
  const { tree_before, tree_after } = last;
  const trees = { tree_before, tree_left: tree_after };
  if (runs.length === 1) return { ...trees, tree_after, written, untested: [] };
  const changes = await changesOf(ctx, last);
  const outputs = await outputFolders(ctx, state, before, changes);
  const untested = changes
    .map(({ path }) => path)
    .filter((path) => !written.includes(path) && !outputs.has(posix.dirname(path)));
  return {
    ...trees,
    tree_after: untested.length > 0 ? tree_before : tree_after,
    ...{ written, untested },
  };
}

/**
 * Folders that each run writes new files into, under other names each time, and that hold no file of the project. Files of
 * earlier runs may lie there.
 */
async function outputFolders(
  ctx: RunContext,
  state: LoopState,
  first: readonly FileChange[],
  last: readonly FileChange[],
): Promise<Set<string>> {
  const foldersOf = (changes: readonly FileChange[]) =>
    changes.flatMap(({ kind, path }) => (kind === "added" ? [posix.dirname(path)] : []));
  const again = foldersOf(last);
  const folders = foldersOf(first).filter((folder) => again.includes(folder));
  const start = state.checkpoints?.[0];
  if (folders.length === 0 || !start) return new Set();
  const own = await ownFiles(ctx, state, start.commit);
  const isOwn = (folder: string) => own.some((path) => isInside(path, folder));
  return new Set(folders.filter((folder) => !isOwn(folder)));
}

function isInside(path: string, folder: string): boolean {
  return folder === "." || path.startsWith(`${folder}/`);
}

/** Files that lay there at the start, with git those that it tracks, and what tasks changed. */
async function ownFiles({ workspace }: RunContext, state: LoopState, commit: string) {
  const there = await workspace.paths(commit);
  const strange = new Set(workspace.kind === "git" ? await workspace.untracked() : []);
  const tasks = state.skill_state?.develop.tasks ?? [];
  return [
    ...there.filter((path) => !strange.has(path)),
    ...tasks.flatMap(({ files_changed }) => files_changed ?? []),
  ];
}

export async function testOnce(
  ctx: RunContext,
  state: LoopState,
  plan: VerifyPlan,
  { action, signal }: { action: ActionName; signal: AbortSignal },
): Promise<Omit<TestRun, "tree_before">> {
  const { verifier, verifyTimeoutMs } = ctx.deps;
  ctx.watcher.requireLease();
  const verification = await verifier.verify(plan, {
    cwd: ctx.cwd,
    signal,
    timeoutMs: testTimeoutOf(state, verifyTimeoutMs),
    scope: ctx.scope,
    onOutput: (text) => report(ctx, action, { type: "verify.output", text }),
    onProgress: (progress) => {
      const before = state.baseline?.commands.find(({ command }) => command === progress.command);
      const total = before?.counts.total ? { total: before.counts.total } : {};
      report(ctx, action, { type: "verify.progress", ...progress, ...total });
    },
  });
  return { verification, tree_after: await ctx.workspace.tree() };
}

async function changesOf(ctx: RunContext, run: TestRun): Promise<FileChange[]> {
  if (run.tree_before === run.tree_after) return [];
  return ctx.workspace.changes(run.tree_before, run.tree_after);
}

/**
 * How this loop is verified: the operator's command, else the one that the baseline ran, so that an agent cannot lead
 * the search elsewhere; else what is found. Null when there is nothing to run.
 */
export async function testPlan(ctx: RunContext, state: LoopState): Promise<VerifyPlan | null> {
  const given = state.settings?.verify ?? (state.baseline?.command || undefined);
  return ctx.deps.verifier.detect(ctx.cwd, given);
}

/**
 * Runs the tests in a clean room without the files that change by themselves. Answers with why they do not pass there,
 * or null where they do: then no test depends on those files.
 */
export async function failsWithoutRestless(
  { ctx, state }: Execution,
  plan: VerifyPlan,
  commit: string | null,
  signal: AbortSignal,
): Promise<string | null> {
  if (commit === null) return "The files without it could not be kept.";
  const deps = squareDepsOf(ctx, state, signal);
  try {
    return await inCleanRooms(deps, { start: commit, installed: undefined }, async (rooms) => {
      const room = await rooms.make({ commit, paths: [] });
      const there = await deps.verifier.detect(room.cwd, plan.command);
      if (!there) return "No test command was found there.";
      const { passed, reason } = judgeRuns(state, [await runInRoom(deps, room, there)]);
      return passed ? null : reason;
    });
  } catch (error) {
    if (!signal.aborted && isLoopError(error, "verify_unavailable", "invalid_input")) {
      return error.message;
    }
    throw error;
  }
}
