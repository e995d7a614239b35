import {
  type DevelopTask,
  type ListPosition,
  LoopError,
  type LoopService,
  type LoopState,
  mintTaskId,
  NewTask,
  type TaskLine,
  taskLine,
  tasksOf,
} from "@ccw-loop/core";
import { Hono } from "hono";
import { ifMatchRevision } from "../app/request-conditions.ts";
import { type AppDeps, parseIdParam, sendBound, serveOperation } from "../app/serve-operation.ts";
import {
  addTask,
  deleteTask,
  generateTasks,
  getTask,
  importTasks,
  listTasks,
  reorderTasks,
  updateTask,
} from "../contract/tasks.ts";

export function taskRoutes(deps: AppDeps): Hono {
  const { service } = deps;
  const app = new Hono();

  serveOperation(app, deps, addTask, async (asked) => {
    const id = mintTaskId(new Date(), digits());
    const task = NewTask.parse({ ...asked.body, id });
    const state = await sendBound(deps, asked, asked.id, { type: "add_task", task });
    // A repeated request is answered with the state that the first one made: its task is the last there, too.
    return { data: linesOf(state).at(-1) };
  });

  serveOperation(app, deps, listTasks, async ({ id }) => {
    const data = linesOf(await service.get(id));
    return { data, total: data.length, loop_id: id, timestamp: new Date().toISOString() };
  });

  serveOperation(app, deps, reorderTasks, async (asked) => {
    const task_ids = asked.body.ordered_task_ids;
    const state = await sendBound(deps, asked, asked.id, { type: "reorder_tasks", task_ids });
    return { data: linesOf(state) };
  });

  serveOperation(app, deps, importTasks, async ({ id, request, body, opId }) => {
    const revision = await ifMatchRevision(request, () => service.get(id));
    const added = await service.importTasks(id, body.issue_id, { opId, revision });
    const message = `Imported ${added.length} tasks from issue ${body.issue_id}`;
    return { data: await linesAmong(id, added), message };
  });

  serveOperation(app, deps, generateTasks, async ({ id, request, body, opId, signal }) => {
    const revision = await ifMatchRevision(request, () => service.get(id));
    const asked = { opId, revision, count: body.count, signal };
    const added = await service.generateTasks(id, asked);
    return {
      data: await linesAmong(id, added),
      message: `Generated and imported ${added.length} tasks`,
    };
  });

  // Behind the paths of loops, one of which may be called `tasks`.
  serveOperation(app, deps, getTask, async ({ param, query }) => {
    const id = taskId(param("taskId"));
    const state =
      query.loop_id === undefined
        ? await findLoopOfTask(service, id)
        : await service.get(loopId(query.loop_id));
    const data = { ...one(state, id), loop_id: state.loop_id };
    return { data, timestamp: new Date().toISOString() };
  });

  serveOperation(app, deps, updateTask, async (asked) => {
    const { loop_id, ...changes } = asked.body;
    const task_id = taskId(asked.param("taskId"));
    const state = await sendBound(deps, asked, loopId(loop_id), {
      type: "edit_task",
      task_id,
      changes,
    });
    return { data: one(state, task_id) };
  });

  serveOperation(app, deps, deleteTask, async (asked) => {
    const task_id = taskId(asked.param("taskId"));
    await sendBound(deps, asked, loopId(asked.query.loop_id), { type: "remove_task", task_id });
    return { message: "Task deleted" };
  });

  return app;

  /** The added tasks with their places among all. */
  async function linesAmong(id: string, added: readonly DevelopTask[]): Promise<TaskLine[]> {
    const ids = new Set(added.map((task) => task.id));
    return linesOf(await service.get(id)).filter(({ task_id }) => ids.has(task_id));
  }
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

function digits(): string {
  return crypto.randomUUID().slice(0, 8);
}

const PAGE = 200;

/** The loop with that task, among all of them: upstream asks for a task without naming its loop. */
export async function findLoopOfTask(service: LoopService, task: string): Promise<LoopState> {
  let after: ListPosition | undefined;
  for (;;) {
    const { loops } = await service.list({ limit: PAGE, ...(after ? { after } : {}) });
    const found = loops.find(({ state }) => tasksOf(state).some(({ id }) => id === task));
    if (found) return found.state;
    after = loops.at(-1)?.state;
    if (!after || loops.length < PAGE) {
      throw new LoopError("task_not_found", `Task not found: ${task}`);
    }
  }
}
