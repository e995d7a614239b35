import type { LoopState } from "./loop-state.ts";
import type { DevelopTask } from "./task.ts";

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
