import type { SkillState } from "../state/skill-state.ts";
import type { TestCounts } from "../state/test-run.ts";

/** Counts and summed duration of the last run: its own figures where the run was recorded, else its results'. */
export function countsOf(validate: SkillState["validate"]): TestCounts & { duration_ms: number } {
  const results = validate.test_results;
  const count = (status: string) => results.filter((test) => test.status === status).length;
  const duration_ms = Math.round(results.reduce((sum, test) => sum + test.duration_ms, 0));
  const run = validate.runs?.at(-1);
  const skipped = count("skipped");
  if (!run || run.total < results.length) {
    const total = results.length;
    return { total, passed: count("passed"), failed: count("failed"), skipped, duration_ms };
  }
  const failed = Math.max(count("failed"), run.failed_tests.length);
  const rest = Math.max(0, run.total - run.passed_count - failed);
  return { total: run.total, passed: run.passed_count, failed, skipped: rest, duration_ms };
}
