import { randomBytes } from "node:crypto";
import {
  type DevelopTask,
  LoopCommand,
  LoopError,
  mintTaskId,
  type TaskChanges,
} from "@ccw-loop/core";
import type { Answer } from "../answer.ts";
import type { Context } from "../context.ts";
import { taskLines } from "../views/tasks.ts";

interface TaskFlags {
  tool?: string;
  mode?: string;
  promptTemplate?: string;
}

export async function list(context: Context, id: string): Promise<Answer> {
  return answerWith(id, await (await context.parts.loops()).tasks(id));
}

export function add(
  context: Context,
  id: string,
  description: string,
  flags: TaskFlags & { taskId?: string },
): Promise<Answer> {
  const taskId = flags.taskId ?? mintTaskId(new Date(), randomBytes(4).toString("hex"));
  return send(context, id, {
    type: "add_task",
    task: { id: taskId, description, ...changesOf(flags) },
  });
}

export async function edit(
  context: Context,
  id: string,
  taskId: string,
  flags: TaskFlags & { description?: string },
): Promise<Answer> {
  const { description } = flags;
  const changes = { ...changesOf(flags), ...(description === undefined ? {} : { description }) };
  if (Object.keys(changes).length === 0) {
    throw new LoopError(
      "invalid_input",
      "Say what to change: --description, --tool, --mode or --prompt-template.",
    );
  }
  return send(context, id, { type: "edit_task", task_id: taskId, changes });
}

export function remove(context: Context, id: string, taskId: string): Promise<Answer> {
  return send(context, id, { type: "remove_task", task_id: taskId });
}

export function reorder(context: Context, id: string, taskIds: string[]): Promise<Answer> {
  return send(context, id, { type: "reorder_tasks", task_ids: taskIds });
}

async function send(context: Context, id: string, command: unknown): Promise<Answer> {
  const parsed = LoopCommand.safeParse(command);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new LoopError("invalid_input", `${issue?.path.join(".")}: ${issue?.message}.`);
  }
  const loops = await context.parts.loops();
  await loops.send(id, parsed.data);
  return answerWith(id, await loops.tasks(id));
}

function changesOf({ tool, mode, promptTemplate }: TaskFlags): TaskChanges {
  return {
    ...(tool === undefined ? {} : { tool }),
    ...(mode === undefined ? {} : { mode }),
    ...(promptTemplate === undefined ? {} : { prompt_template: promptTemplate }),
  };
}

function answerWith(id: string, tasks: readonly DevelopTask[]): Answer {
  return { data: { loop_id: id, tasks }, text: taskLines(tasks).join("\n") };
}
