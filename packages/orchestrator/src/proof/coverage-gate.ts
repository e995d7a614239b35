import {
  changedLineCoverage,
  changedLines,
  type LoopState,
  type Verification,
} from "@ccw-loop/core";
import type { RunContext } from "../run/context.ts";
import { startOf } from "./start.ts";

/** Why the coverage that the operator asked for is not there; null when it is, or none was asked for. */
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
    return "Coverage is asked for, but the test command wrote none. Make it write lcov, Cobertura or istanbul JSON.";
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
    const { patch } = await ctx.workspace.diff(start, commit);
    const { executable, covered, missed } = changedLineCoverage(
      coverage_files,
      changedLines(patch),
    );
    const rate = executable === 0 ? 100 : Math.round((covered / executable) * 1000) / 10;
    if (executable > 0 && rate < before) {
      const places = missed.slice(0, 3).map(({ path, lines }) => `${path}:${lines[0]}`);
      return `${rate} % of the changed lines are covered; the project had ${before} % before. Not covered: ${places.join(", ")}.`;
    }
    if (executable > 0) return null;
  }
  return now < before ? `Coverage dropped from ${before} % to ${now} % of lines.` : null;
}
