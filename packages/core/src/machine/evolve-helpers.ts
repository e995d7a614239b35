import { tasksOf, withTasks } from "../state/derived.ts";
import { type LoopState, Usage } from "../state/loop-state.ts";
import type { SkillState } from "../state/skill-state.ts";
import type { DevelopTask } from "../state/task.ts";

/** A copy without the named optional keys. */
export function omit<T extends object, K extends keyof T>(value: T, ...keys: K[]): Omit<T, K> & T {
  const copy = { ...value };
  for (const key of keys) delete copy[key];
  return copy;
}

const COUNTED = [
  "turns",
  "active_ms",
  "input_tokens",
  "cached_input_tokens",
  "output_tokens",
  "total_tokens",
] as const;

/** Usage with what `more` names added. */
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
