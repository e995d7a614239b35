import { type LoopState, Usage } from "./loop-state.ts";
import type { Mode, SkillState } from "./skill-state.ts";
import type { DevelopTask } from "./task.ts";

/** Who chooses the actions of this loop: the rules (`auto`, unless it says otherwise), or a person at the menu. */
export function modeOf(state: LoopState): Mode {
  return state.skill_state?.mode ?? state.settings?.mode ?? "auto";
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

/** The one task list of a loop, wherever it lives now: before INIT at the top, after it in `develop`. */
export function tasksOf(state: LoopState): readonly DevelopTask[] {
  return state.skill_state ? state.skill_state.develop.tasks : (state.tasks ?? []);
}

export function openTasks(state: LoopState): DevelopTask[] {
  return tasksOf(state).filter(({ status }) => status !== "completed");
}

/** The state with `tasks` in its place, and the counts that the contract stores recomputed. */
export function withTasks(state: LoopState, tasks: DevelopTask[]): LoopState {
  if (!state.skill_state) return { ...state, tasks };
  const completed = tasks.filter((t) => t.status === "completed").length;
  const develop = { ...state.skill_state.develop, tasks, total: tasks.length, completed };
  return { ...state, skill_state: { ...state.skill_state, develop } };
}

/** What was tested last says nothing about what is there, or asked for, now. */
export function withStaleProof(state: LoopState): LoopState {
  const { skill_state: skill } = state;
  if (!skill) return state;
  return { ...state, skill_state: { ...skill, validate: { ...skill.validate, stale: true } } };
}

/** The tests that fail now and count: new failures and those the loop owes; without a baseline, all that failed. */
export function failingTests(skill: SkillState | null | undefined): string[] {
  const { validate } = skill ?? {};
  if (!validate || validate.passed) return [];
  const { new_failures = [], owed = [] } = validate.comparison ?? {};
  const counting = [...new Set([...new_failures, ...owed])];
  return counting.length > 0 ? counting : validate.failed_tests;
}

const COUNTED = [
  "turns",
  "active_ms",
  "input_tokens",
  "cached_input_tokens",
  "output_tokens",
  "total_tokens",
] as const;

export function addUsage(
  usage: Usage | undefined,
  more: { [K in (typeof COUNTED)[number] | "cost_usd"]?: number | undefined },
): Usage {
  const sum: Usage = { ...(usage ?? Usage.parse({})) };
  for (const key of COUNTED) sum[key] += more[key] ?? 0;
  if (more.cost_usd !== undefined) sum.cost_usd = (sum.cost_usd ?? 0) + more.cost_usd;
  return sum;
}

/** The state with the task of that id changed; the same state when there is none. */
export function replaceTask(
  state: LoopState,
  id: string | null,
  change: (task: DevelopTask) => DevelopTask,
): LoopState {
  const tasks = tasksOf(state);
  if (id === null || !tasks.some((task) => task.id === id)) return state;
  return withTasks(
    state,
    tasks.map((task) => (task.id === id ? change(task) : task)),
  );
}

/** The state with its `skill_state` changed; the same state before INIT. */
export function withSkill(state: LoopState, change: (skill: SkillState) => SkillState): LoopState {
  return state.skill_state ? { ...state, skill_state: change(state.skill_state) } : state;
}
