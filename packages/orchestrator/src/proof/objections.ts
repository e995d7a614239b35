import {
  changedLineCoverage,
  changedLines,
  type FileChange,
  firstOf,
  type LoopState,
  type Objection,
  objectionOf,
  redTestsOf,
  type Square,
  type Surroundings,
  tasksOf,
  type Verification,
} from "@ccw-loop/core";
import type { RunContext } from "../run/context.ts";
import { changesBetween, claimedFiles, startOf, startTree } from "./changes.ts";
import type { ProofRun } from "./run-tests.ts";

/**
 * An objection where the loop itself changed nothing since the baseline. Files that tests write or that others change
 * do not count.
 */
export async function objectionsToNoChange(
  ctx: RunContext,
  state: LoopState,
  { tree_after, written }: Pick<ProofRun, "tree_after" | "written">,
): Promise<Objection[]> {
  const outside = state.workspace?.outside ?? [];
  const claimed = claimedFiles(state);
  // What others write while the loop works changes during its turns as well.
  const changedByOthers = outside.filter(({ path, times }) => times > 0 && !claimed.has(path));
  const notLoopWork = new Set([...written, ...changedByOthers.map(({ path }) => path)]);
  const isWork = ({ path }: FileChange) => !notLoopWork.has(path);
  const changes = await changesBetween(ctx, startTree(state), tree_after);
  if (changes === null || changes.some(isWork)) return [];
  // What a task changed may have been changed from outside as well, and is no difference any more then.
  const all = await changesBetween(ctx, state.baseline?.tree ?? startOf(state)?.tree, tree_after);
  const done = new Set(tasksOf(state).flatMap(({ files_changed }) => files_changed));
  const worked = all?.some((change) => done.has(change.path) && isWork(change));
  return worked ? [] : [nothingChanged(outside.map(({ path }) => path))];
}

function nothingChanged(outside: readonly string[]): Objection {
  const message =
    outside.length === 0
      ? "Nothing was changed since the loop began, so the tests say nothing about its work."
      : `This loop changed nothing since it began, so the tests say nothing about its work; changed from outside were ${firstOf(outside, 5)}.`;
  return objectionOf("nothing_changed", [], message);
}

/** Tests that the plan set aside and that are still red: a person decides whether they may stay so. */
export function objectionsToSetAside(state: LoopState, { verdict }: ProofRun): Objection[] {
  const { set_aside } = redTestsOf(state);
  const red = set_aside.filter((id) => verdict.comparison.owed.includes(id));
  if (red.length === 0) return [];
  const verb =
    red.length === 1
      ? "test that failed at the start still fails"
      : "tests that failed at the start still fail";
  return [
    objectionOf(
      "owed",
      red,
      `${red.length} ${verb}; the plan excluded ${red.length === 1 ? "it" : "them"}`,
    ),
  ];
}

/** A remark where no check could be made, so that the proof rests on the four runs alone. */
export function remarkOnChecks(checks: Square["checks"]): string[] {
  const isMade = checks.some(({ result }) => result !== "not_run");
  if (checks.length === 0 || isMade) return [];
  return [
    "Nothing tried the tests: whether they can fail, and whether the work does the same without them, could not be checked.",
  ];
}

/**
 * A remark where clean rooms could not hide what changed outside of the project since the loop began, or nobody knows
 * what did.
 */
export function remarkOnSurroundings(found: Surroundings | undefined): string[] {
  if (!found?.changed) return [];
  return [
    "Programs, packages or settings outside of the project may have changed since the loop began, and tests in clean rooms saw them as they are now: bubblewrap does not work here, or they could not all be looked at.",
  ];
}

/** Why the coverage that the operator asked for is not reached; null where it is, or none was asked for. */
export async function coverageGap(
  ctx: RunContext,
  state: LoopState,
  run: Verification,
  commit: string | null,
): Promise<string | null> {
  const { min_coverage: least, no_coverage_drop: noDrop } = state.settings ?? {};
  if (least === undefined && noDrop !== true) return null;
  const { coverage } = run;
  if (coverage === null) {
    return "Coverage is asked for, but the test command wrote none that can be read. Make it write lcov, Cobertura, or istanbul JSON of at most 256 MB.";
  }
  if (least !== undefined && coverage < least) {
    return `Coverage is ${coverage} % of lines; at least ${least} % is asked for.`;
  }
  return noDrop === true ? dropOf(ctx, state, run, commit) : null;
}

/** Changed lines are to be covered as well as the project was; where none can be told, the whole counts. */
async function dropOf(
  ctx: RunContext,
  state: LoopState,
  { coverage, coverage_files }: Verification,
  commit: string | null,
): Promise<string | null> {
  const before = state.baseline?.coverage ?? null;
  const now = coverage ?? 0;
  if (before === null) {
    return "Coverage must not drop, but none was measured before the loop began. Use --min-coverage instead.";
  }
  const start = startOf(state)?.commit;
  if (start !== undefined && commit !== null && ctx.workspace.lacks.length === 0) {
    const { patch, prefix = "" } = await ctx.workspace.diff(start, commit);
    const own = [...changedLines(patch)].filter(([path]) => path.startsWith(prefix));
    const changed = new Map(own.map(([path, lines]) => [path.slice(prefix.length), lines]));
    const { executable, covered, missed } = changedLineCoverage(coverage_files, changed);
    const rate = executable === 0 ? 100 : Math.round((covered / executable) * 1000) / 10;
    if (executable > 0 && rate < before) {
      const places = missed.slice(0, 3).map(({ path, lines }) => `${path}:${lines[0]}`);
      return `${rate} % of the changed lines are covered; the project had ${before} % before. Not covered: ${places.join(", ")}.`;
    }
    if (executable > 0) return null;
  }
  return now < before ? `Coverage dropped from ${before} % to ${now} % of lines.` : null;
}
