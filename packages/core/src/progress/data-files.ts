import { isPlain } from "../json.ts";
import { evidenceOf, type Hypothesis } from "../state/hypothesis.ts";
import type { SkillState } from "../state/skill-state.ts";
import type { TestCounts } from "../state/test-run.ts";
import { percent, safeJson } from "../text.ts";
import { completedInOrder } from "./develop.ts";

/** changes.log: one line per finished task, completed ones in order of time, then the failed ones. */
export function changesLog(skill: SkillState): string {
  const { tasks } = skill.develop;
  const failed = tasks.filter((task) => task.status === "failed");
  return ndjson(
    [...completedInOrder(tasks), ...failed].map((task) => ({
      timestamp: task.completed_at,
      task_id: task.id,
      description: task.description,
      files_changed: task.files_changed,
      result: task.status === "completed" ? "success" : "failed",
      ...(task.claimed_files ? { claimed_files: task.claimed_files } : {}),
    })),
  );
}

/** debug.log: the evidence of every hypothesis, `{hid, ts, func, data}` with `ts` in epoch milliseconds. */
export function debugLog(skill: SkillState): string {
  const at = Date.parse(skill.debug.last_analysis_at ?? "");
  const ts = Number.isNaN(at) ? null : at;
  return ndjson(skill.debug.hypotheses.flatMap((idea) => evidenceLines(idea, ts)));
}

function evidenceLines(idea: Hypothesis, ts: number | null): unknown[] {
  const func = idea.logging_point.split(":")[1] ?? idea.logging_point;
  return evidenceOf(idea).map((entry) =>
    isPlain(entry) && typeof entry.hid === "string"
      ? entry
      : { hid: idea.id, ts, func, data: entry },
  );
}

export function hypothesesJson(skill: SkillState): string {
  const { hypotheses, iteration, last_analysis_at, active_bug, confirmed_hypothesis } = skill.debug;
  return pretty({
    hypotheses,
    iteration,
    timestamp: last_analysis_at,
    bug_description: active_bug ?? null,
    confirmed_hypothesis,
  });
}

/** test-results.json: the last run; `pass_rate` is a number. */
export function testResultsJson(skill: SkillState): string {
  const { validate } = skill;
  const run = validate.runs?.at(-1);
  const counts = countsOf(validate);
  const rate = percent(counts.passed, counts.passed + counts.failed);
  return pretty({
    iteration: run?.iteration ?? 0,
    timestamp: validate.last_run_at,
    command: run?.command ?? null,
    passed: validate.passed,
    reason: run?.reason ?? null,
    summary: { ...counts, pass_rate: validate.pass_rate ?? rate },
    tests: validate.test_results,
    failures: validate.test_results.filter((test) => test.status === "failed"),
    failed_tests: validate.failed_tests,
    coverage: validate.coverage,
    comparison: validate.comparison ?? null,
    objections: validate.objections ?? [],
  });
}

/** coverage.json: percent of lines; `overall` is null where nothing was measured. */
export function coverageJson(skill: SkillState): string {
  const { coverage, coverage_files: files = [], last_run_at } = skill.validate;
  const measured = coverage !== null && last_run_at !== null;
  return pretty({
    overall: measured ? { lines: coverage } : null,
    files: measured ? files : [],
  });
}

function ndjson(records: readonly unknown[]): string {
  return records.map((record) => `${safeJson(record)}\n`).join("");
}

function pretty(value: unknown): string {
  return `${safeJson(value, 2)}\n`;
}

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
