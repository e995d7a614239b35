import { outcomeOf } from "../machine/select.ts";
import type { LoopState } from "../state/loop-state.ts";
import { tasksOf } from "../state/tasks.ts";
import { openIssues, recommendations } from "./issues.ts";
import { percent } from "./numbers.ts";

/** `skill_state.summary` as COMPLETE writes it. Durations in milliseconds, rates in percent. */
export interface LoopSummary {
  /** Wall time since the loop was created. */
  duration: number;
  /** Time of work, pauses not counted. */
  active_ms: number;
  iterations: number;
  generated_at: string;
  outcome: { status: string; code: string; message: string };
  develop: { total_tasks: number; completed_tasks: number; completion_rate: number };
  debug: { iterations: number; hypotheses_tested: number; root_cause_found: boolean };
  validate: { runs: number; passed: boolean; coverage: number | null; failed_tests: number };
  open_issues: string[];
  recommendations: string[];
}

/** The summary of a loop as it stands at `at`, RFC 3339. */
export function buildSummary(state: LoopState, at: string): LoopSummary {
  const tasks = tasksOf(state);
  const completed = tasks.filter((task) => task.status === "completed").length;
  const debug = state.skill_state?.debug;
  const validate = state.skill_state?.validate;
  const elapsed = Date.parse(at) - Date.parse(state.created_at);
  const ranOnce = validate && validate.last_run_at !== null ? 1 : 0;
  const { status, code, message } = outcomeOf(state);
  return {
    duration: Number.isFinite(elapsed) ? Math.max(0, elapsed) : 0,
    active_ms: state.usage?.active_ms ?? 0,
    iterations: state.current_iteration,
    generated_at: at,
    outcome: { status, code, message },
    develop: {
      total_tasks: tasks.length,
      completed_tasks: completed,
      completion_rate: percent(completed, tasks.length),
    },
    debug: {
      iterations: debug?.iteration ?? 0,
      hypotheses_tested: (debug?.hypotheses ?? []).filter((h) => h.status !== "pending").length,
      root_cause_found: (debug?.confirmed_hypothesis ?? null) !== null,
    },
    validate: {
      runs: validate?.runs?.length ?? ranOnce,
      passed: validate?.passed ?? false,
      coverage: validate?.coverage ?? null,
      failed_tests: validate?.failed_tests.length ?? 0,
    },
    open_issues: openIssues(state),
    recommendations: recommendations(state),
  };
}
