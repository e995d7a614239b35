import {
  DevelopTask,
  type Hypothesis,
  type LoopState,
  type TaskProposal,
  tasksOf,
} from "@ccw-loop/core";
import { freeTaskIds } from "../task-ids.ts";

/** The agent's fixes for a confirmed cause; one of ours when it names none and repaired nothing itself. */
export function fixTasks(
  state: LoopState,
  cause: Hypothesis,
  proposed: readonly TaskProposal[],
  files_changed: readonly string[],
  at: string,
): DevelopTask[] {
  const ours = { description: `Fix the cause of the failure: ${cause.description}` };
  const wanted: readonly Partial<TaskProposal>[] =
    proposed.length > 0 || files_changed.length > 0 ? proposed : [ours];
  const failed = tasksOf(state).filter((t) => t.status === "failed");
  const ids = freeTaskIds("fix", tasksOf(state));
  return wanted.map((task) => {
    const named = failed.find((t) => t.id === task.fixes);
    const fixes = (named ?? failed[0])?.id ?? cause.id;
    return DevelopTask.parse({ ...task, id: ids(), status: "pending", created_at: at, fixes });
  });
}
