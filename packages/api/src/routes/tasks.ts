import {
  type DevelopTask,
  LoopError,
  type LoopService,
  type LoopState,
  mintTaskId,
  NewTask,
  type TaskLine,
  taskLine,
  tasksOf,
} from "@ccw-loop/core";
import { type AppDeps, type Handlers, parseIdParam } from "../app/serve-operation.ts";
import type { TASKS } from "../contract/tasks.ts";
import { everyLoop } from "../live/project-feed.ts";

export function taskHandlers({ service, options }: AppDeps): Handlers<typeof TASKS> {
  async function linesAmong(id: string, added: readonly DevelopTask[]): Promise<TaskLine[]> {
    const ids = new Set(added.map((task) => task.id));
    return linesOf(await service.get(id)).filter(({ task_id }) => ids.has(task_id));
  }

  return {
    async addTask({ body, send }) {
      const task = NewTask.parse({
        ...body,
        id: mintTaskId(new Date(), crypto.randomUUID().slice(0, 8)),
      });
      // A repeated request is answered with the state that the first one made: its task is the last there, too.
      return { data: linesOf(await send({ type: "add_task", task })).at(-1) };
    },
    async listTasks({ id }) {
      const data = linesOf(await service.get(id));
      return { data, total: data.length, loop_id: id, timestamp: new Date().toISOString() };
    },
    async reorderTasks({ body: { ordered_task_ids: task_ids }, send }) {
      return { data: linesOf(await send({ type: "reorder_tasks", task_ids })) };
    },
    async importTasks({ id, revision, body, opId }) {
      const allowBash = options.allowBashTasks === true;
      const bound = { opId, revision: await revision(), allowBash };
      const added = await service.importTasks(id, body.issue_id, bound);
      const message = `Imported ${added.length} tasks from issue ${body.issue_id}`;
      return { data: await linesAmong(id, added), message };
    },
    async generateTasks({ id, revision, body: { count }, opId, signal }) {
      const asked = { opId, revision: await revision(), count, signal };
      const added = await service.generateTasks(id, asked);
      const message = `Generated and imported ${added.length} tasks`;
      return { data: await linesAmong(id, added), message };
    },
    // Behind the paths of loops, one of which may be called `tasks`.
    async getTask({ param, query: { loop_id } }) {
      const id = taskId(param("taskId"));
      const state = await (loop_id === undefined
        ? findLoopOfTask(service, id)
        : service.get(loopId(loop_id)));
      const data = { ...one(state, id), loop_id: state.loop_id };
      return { data, timestamp: new Date().toISOString() };
    },
    async updateTask({ param, body: { loop_id, ...changes }, send }) {
      const task_id = taskId(param("taskId"));
      const state = await send({ type: "edit_task", task_id, changes }, loopId(loop_id));
      return { data: one(state, task_id) };
    },
    async deleteTask({ param, query, send }) {
      const task_id = taskId(param("taskId"));
      await send({ type: "remove_task", task_id }, loopId(query.loop_id));
      return { message: "Task deleted" };
    },
  };
}

function linesOf(state: LoopState): TaskLine[] {
  return tasksOf(state).map((task, order) => ({
    ...taskLine(task, order),
    updated_at: task.updated_at ?? task.created_at,
  }));
}

function one(state: LoopState, id: string): TaskLine {
  const found = linesOf(state).find(({ task_id }) => task_id === id);
  if (found) return found;
  throw new LoopError("task_not_found", `Task not found: ${id}`);
}

function taskId(text: string): string {
  return parseIdParam(text, "Invalid task ID format");
}

function loopId(text: string): string {
  return parseIdParam(text, "Invalid loop_id format");
}

/** The loop with that task, among all of them: upstream asks for a task without naming its loop. */
async function findLoopOfTask(service: LoopService, task: string): Promise<LoopState> {
  for await (const state of everyLoop(service)) {
    if (tasksOf(state).some(({ id }) => id === task)) return state;
  }
  throw new LoopError("task_not_found", `Task not found: ${task}`);
}
