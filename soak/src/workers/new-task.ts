import { NewTask } from "../../../packages/core/src/index.ts";

/** A task as an operator gives it. */
export function newTask(id: string, description = `Work on ${id}`): NewTask {
  return NewTask.parse({ id, description });
}
