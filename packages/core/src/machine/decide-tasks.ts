import { LoopError } from "../errors.ts";
import { withoutUndefined } from "../json.ts";
import { tasksOf } from "../state/derived.ts";
import type { LoopState } from "../state/loop-state.ts";
import {
  type DevelopTask,
  LONGEST_COMMAND,
  type NewTask,
  type TaskEdit,
  taskCommand,
} from "../state/task.ts";
import { ownTool } from "./agents.ts";
import type { LoopEvent } from "./events.ts";
import { evolve } from "./evolve.ts";

/** A task that is to be added, with what it does not say. Throws `invalid_input` for an id that is taken. */
export function addTask(state: LoopState, task: NewTask, at: string): LoopEvent[] {
  if (tasksOf(state).some((t) => t.id === task.id)) {
    throw new LoopError("invalid_input", `Task ${task.id} exists already.`);
  }
  const { tool = ownTool(state) } = task;
  const added: DevelopTask = { ...task, tool, status: "pending", created_at: at };
  // What a person types for bash is the command.
  if (tool === "bash" && !task.command?.trim()) added.command = task.description;
  requireCommand(added);
  return [{ type: "task.added", at, task: added }];
}

/**
 * A task becomes a command only by what the same edit names: its command, else its text. What stood there before may be an
 * agent's, or a file's. A command that is its task's own text stays that.
 */
export function editTask(task: DevelopTask, changes: TaskEdit, at: string): LoopEvent[] {
  const { id: task_id, description } = task;
  const { tool = task.tool, description: text } = changes;
  const before = taskCommand(task);
  const becomesOne = before === null && changes.tool === "bash";
  const isOwnText = before !== null && before === description && tool === "bash";
  const named = changes.command ?? (becomesOne || isOwnText ? text : undefined);
  if (changes.tool !== undefined || changes.command !== undefined) {
    const command = named ?? before ?? undefined;
    requireCommand({ id: task_id, tool, ...withoutUndefined({ command }) });
  }
  const command = withoutUndefined({ command: named });
  return [{ type: "task.edited", at, task_id, changes: { ...changes, ...command } }];
}

/** Throws `invalid_input` for a `bash` task without a command that can be run. */
function requireCommand(task: Pick<DevelopTask, "id" | "tool" | "command">): void {
  if (task.tool !== "bash" || taskCommand(task) !== null) return;
  throw new LoopError(
    "invalid_input",
    `Task ${task.id} needs a command that can be run: name it with --command, in ${LONGEST_COMMAND} characters at most and without null characters.`,
  );
}

/** The task, unless it is missing or is the one the running action works on. */
export function requireFreeTask(state: LoopState, id: string): DevelopTask {
  const task = tasksOf(state).find((t) => t.id === id);
  if (!task) throw new LoopError("task_not_found", `Task not found: ${id}`);
  if (task.status === "in_progress" && state.action?.interrupted === null) {
    throw new LoopError(
      "invalid_transition",
      `Task ${id} is being worked on. Pause the loop, wait for the action to end, then change it.`,
    );
  }
  return task;
}

export function reorderTasks(state: LoopState, ids: string[], at: string): LoopEvent[] {
  const known = new Set(tasksOf(state).map((t) => t.id));
  const missing = ids.find((id) => !known.has(id));
  if (missing !== undefined) throw new LoopError("task_not_found", `Task not found: ${missing}`);
  if (new Set(ids).size !== ids.length) {
    throw new LoopError("invalid_input", "A task id is named twice in the new order.");
  }
  return [{ type: "tasks.reordered", at, task_ids: ids }];
}

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
