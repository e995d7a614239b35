import type { Hypothesis } from "../state/hypothesis.ts";
import { isPlain } from "../state/plain.ts";
import type { SkillState } from "../state/skill-state.ts";
import { completedInOrder } from "./develop.ts";
import { percent } from "./numbers.ts";
import { safeJson } from "./safe-text.ts";
import { countsOf } from "./test-counts.ts";

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
  if (idea.evidence === null) return [];
  const entries: unknown[] = Array.isArray(idea.evidence) ? idea.evidence : [idea.evidence];
  const func = idea.logging_point.split(":")[1] ?? idea.logging_point;
  return entries.map((entry) =>
    isPlain(entry) && typeof entry.hid === "string"
      ? entry
      : { hid: idea.id, ts, func, data: entry },
  );
}

/** hypotheses.json */
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
