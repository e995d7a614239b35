import type { LoopState } from "./loop-state.ts";
import type { Mode, SkillState } from "./skill-state.ts";
import type { DevelopTask } from "./task.ts";

/** Who chooses the actions of this loop: the rules (`auto`, unless it says otherwise), or a person at the menu. */
export function modeOf(state: LoopState): Mode {
  return state.skill_state?.mode ?? state.settings?.mode ?? "auto";
}

/** Percent of the tasks that are completed, 0 to 100, from the counts that the state stores (seed 003). */
export function developProgress(state: LoopState): number {
  const { total = 0, completed = 0 } = state.skill_state?.develop ?? {};
  return total > 0 ? Math.min(100, Math.max(0, (completed / total) * 100)) : 0;
}

/** Whether DEVELOP has something to begin. */
export function hasPendingDevelop(state: LoopState): boolean {
  return tasksOf(state).some((task) => task.status === "pending");
}

/** Whether DEBUG has found a cause. */
export function debugCompleted(state: LoopState): boolean {
  return (state.skill_state?.debug.confirmed_hypothesis ?? null) !== null;
}

/**
 * Whether the last VALIDATE passed on evidence, a test result or a passing receipt, and nothing changed since.
 */
export function validationPassed(state: LoopState): boolean {
  const validate = state.skill_state?.validate;
  if (!validate?.passed || validate.stale === true) return false;
  return validate.test_results.length > 0 || state.receipts?.at(-1)?.passed === true;
}

/**
 * Percent of the whole way: half for the tasks, a quarter each for a found cause and a passed validation
 * (seed 003). A completed loop is at 100, whether or not there was anything to debug.
 */
export function overallProgress(state: LoopState): number {
  if (state.status === "completed") return 100;
  const quarter = (done: boolean) => (done ? 25 : 0);
  return (
    developProgress(state) * 0.5 + quarter(debugCompleted(state)) + quarter(validationPassed(state))
  );
}

/** What a state that fits the schema may still say against itself (seed 003); `errors` are sentences. */
export function validateState(state: LoopState): { valid: boolean; errors: string[] } {
  const errors: string[] = [];
  if (state.loop_id.trim() === "") errors.push("Missing loop_id");
  if (state.title.trim() === "" && state.description.trim() === "") {
    errors.push("Missing title and description");
  }
  const skill = state.skill_state;
  if (skill && state.status === "created") {
    errors.push("Inconsistent: initialized but status is created");
  }
  if (state.status === "completed" && !skill?.validate.passed) {
    errors.push("Inconsistent: completed but validation not passed");
  }
  const counted = skill?.develop.tasks.filter((task) => task.status === "completed").length ?? 0;
  const stored = skill?.develop.completed ?? 0;
  if (counted !== stored) {
    errors.push(`Inconsistent: develop.completed is ${stored} but ${counted} tasks are completed`);
  }
  return { valid: errors.length === 0, errors };
}

/** What the words for a loop's status depend on. */
interface Standing {
  status: LoopState["status"];
  outcome?: { code: string } | undefined;
}

/** The status in one word for people: a loop that an operator ended is `stopped`, though its status is `failed`. */
export function statusWord({ status, outcome }: Standing): string {
  if (status === "failed" && outcome?.code === "stopped_by_user") return "stopped";
  return status === "user_exit" ? "exited" : status;
}

/** The same with the reason of its end, where the word does not say it: `failed (max_iterations)`, `stopped`. */
export function statusText(state: Standing): string {
  const word = statusWord(state);
  const ended = word === "failed" || word === "completed";
  return ended && state.outcome ? `${word} (${state.outcome.code})` : word;
}

export type ControlReason =
  | "running"
  | "paused"
  | "stopped"
  | "completed"
  | "not_started"
  | "state_not_found"
  | "user_exit"
  | "unknown_status";

/** Whether an action may begin, and if not, how the execution plane leaves (seeds 000 and 004). */
export interface ControlSignal {
  continue: boolean;
  action: "continue" | "pause_exit" | "stop_exit";
  reason: ControlReason;
}

const REASONS: Readonly<Record<LoopState["status"], ControlReason>> = {
  created: "not_started",
  running: "running",
  paused: "paused",
  completed: "completed",
  failed: "stopped",
  user_exit: "user_exit",
};

/** The control signal that a state's status is; looked at before every action. `undefined`: there is no such loop. */
export function controlSignal(
  state: { readonly status: string } | null | undefined,
): ControlSignal {
  const reason = state ? reasonOf(state.status) : "state_not_found";
  if (reason === "running") return { continue: true, action: "continue", reason };
  return { continue: false, action: reason === "paused" ? "pause_exit" : "stop_exit", reason };
}

function reasonOf(status: string): ControlReason {
  return Object.hasOwn(REASONS, status) ? REASONS[status as LoopState["status"]] : "unknown_status";
}

/** The one task list of a loop, wherever it lives now: before INIT at the top, after it in `develop`. */
export function tasksOf(state: LoopState): readonly DevelopTask[] {
  return state.skill_state ? state.skill_state.develop.tasks : (state.tasks ?? []);
}

/** The state with `tasks` in its place, and the counts that the contract stores recomputed. */
export function withTasks(state: LoopState, tasks: DevelopTask[]): LoopState {
  if (!state.skill_state) return { ...state, tasks };
  const completed = tasks.filter((t) => t.status === "completed").length;
  const develop = { ...state.skill_state.develop, tasks, total: tasks.length, completed };
  return { ...state, skill_state: { ...state.skill_state, develop } };
}

/** The tests that fail now and count: new failures and those the loop owes; without a baseline, all that failed. */
export function failingTests(skill: SkillState | null | undefined): string[] {
  const { validate } = skill ?? {};
  if (!validate || validate.passed) return [];
  const { new_failures = [], owed = [] } = validate.comparison ?? {};
  const counting = [...new Set([...new_failures, ...owed])];
  return counting.length > 0 ? counting : validate.failed_tests;
}
