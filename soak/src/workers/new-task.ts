import { DevelopTask, type LoopCommand } from "../../../packages/core/src/index.ts";

type NewTask = Extract<LoopCommand, { type: "add_task" }>["task"];

/** A task as an operator gives it. */
export function newTask(id: string, description = `Work on ${id}`): NewTask {
  return { ...DevelopTask.parse({ id, description }), id };
}
