import { LoopError } from "../errors.ts";
import { tasksOf } from "../state/derived.ts";
import type { LoopState } from "../state/loop-state.ts";
import { type DevelopTask, taskCommand } from "../state/task.ts";
import type { LoopEvent } from "./events.ts";
import { evolve } from "./evolve.ts";

/**
 * Refuses events that give a loop a command to run, or change a task that is one, for somebody who may not have commands
 * run. Throws `bash_not_allowed`.
 */
export function requireNoBashTask(before: LoopState, events: readonly LoopEvent[]): void {
  let state = before;
  for (const event of events) {
    const after = evolve(state, event);
    if (event.type === "task.added") requireNoCommand(event.task);
    if (event.type === "task.edited") {
      for (const { id, ...task } of [...tasksOf(state), ...tasksOf(after)]) {
        if (id === event.task_id) requireNoCommand(task);
      }
    }
    state = after;
  }
}

function requireNoCommand(task: Pick<DevelopTask, "tool" | "command">): void {
  if (taskCommand(task) === null) return;
  throw new LoopError(
    "bash_not_allowed",
    "A bash task runs a command on the server's machine, which its operator has not allowed. They allow it with: ccw-loop serve --allow-bash-tasks",
  );
}
