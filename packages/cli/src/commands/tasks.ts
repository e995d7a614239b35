import { randomBytes } from "node:crypto";
import {
  type DevelopTask,
  invalidInput,
  LoopCommand,
  LoopError,
  type LoopState,
  mintTaskId,
  reopenCommand,
  tasksOf,
  withoutUndefined,
} from "@ccw-loop/core";
import { taskLines } from "@ccw-loop/view";
import { type Context, requireModules } from "../runtime/context.ts";
import { exitCodeFor, listen } from "../runtime/interrupts.ts";
import { requireKnownOrigin } from "../runtime/operator-origin.ts";
import type { Answer } from "../runtime/perform.ts";
import { textInput } from "../runtime/text-input.ts";

interface TaskFlags {
  tool?: string;
  mode?: string;
  promptTemplate?: string;
  command?: string;
  onError?: string;
}

export async function list(context: Context, id: string): Promise<Answer> {
  const loops = await context.parts.loops();
  return answerWith(await loops.get(id));
}

export async function add(
  context: Context,
  id: string,
  text: string,
  flags: TaskFlags & { taskId?: string },
): Promise<Answer> {
  const description = await textInput(context, text);
  if (flags.tool === "bash") await requireKnown(context, id);
  const taskId = flags.taskId ?? mintTaskId(new Date(), randomBytes(4).toString("hex"));
  const task = { id: taskId, description, ...fieldsOf(flags) };
  const state = await sent(context, id, { type: "add_task", task });
  if (state.status === "completed" || state.status === "failed") {
    context.say(context.hint(`It has ended. Open it again with: ${reopenCommand(state)}`));
  }
  return answerWith(state);
}

export async function edit(
  context: Context,
  id: string,
  taskId: string,
  flags: TaskFlags & { description?: string },
): Promise<Answer> {
  const { description } = flags;
  const changes = withoutUndefined({ ...fieldsOf(flags), description });
  if (Object.keys(changes).length === 0) {
    throw new LoopError(
      "invalid_input",
      "Name what to change: --description, --tool, --mode, --prompt-template, --command or --on-error.",
    );
  }
  await requireKnown(context, id);
  return send(context, id, { type: "edit_task", task_id: taskId, changes });
}

export function remove(context: Context, id: string, taskId: string): Promise<Answer> {
  return send(context, id, { type: "remove_task", task_id: taskId });
}

export function reorder(context: Context, id: string, taskIds: string[]): Promise<Answer> {
  return send(context, id, { type: "reorder_tasks", task_ids: taskIds });
}

export async function importFrom(context: Context, id: string, issue: string): Promise<Answer> {
  await requireKnown(context, id);
  const loops = await context.parts.loops();
  const tasks = await loops.importTasks(id, issue);
  return added(await loops.get(id), tasks);
}

/** Before a command may be given to a loop: an agent may not give it one. */
async function requireKnown(context: Context, id: string): Promise<void> {
  const loops = await context.parts.loops();
  await requireKnownOrigin(await loops.get(id), context.command);
}

/** An interrupt ends the agent's turn; nothing is added then. */
export async function generate(
  context: Context,
  id: string,
  { agent, count }: { agent?: string[]; count?: number },
): Promise<Answer> {
  await requireModules(context, agent);
  const loops = await context.parts.loops();
  using interrupts = listen(context.io, {});
  const { signal } = interrupts;
  try {
    const tasks = await loops.generateTasks(id, { count, signal });
    return added(await loops.get(id), tasks);
  } catch (error) {
    if (!signal.aborted || interrupts.first === undefined) throw error;
    return {
      data: { loop_id: id, tasks: [] },
      text: "Nothing was added.",
      exit: exitCodeFor(interrupts.first),
    };
  }
}

function added(state: LoopState, tasks: readonly DevelopTask[]): Answer {
  const { loop_id } = state;
  const head = `Added ${tasks.length} ${tasks.length === 1 ? "task" : "tasks"} to loop ${loop_id}:`;
  return { data: { loop_id, tasks }, text: [head, ...taskLines(state, tasks)].join("\n") };
}

async function send(context: Context, id: string, command: unknown): Promise<Answer> {
  return answerWith(await sent(context, id, command));
}

/** The loop behind a command. */
async function sent(context: Context, id: string, command: unknown): Promise<LoopState> {
  const parsed = LoopCommand.safeParse(command);
  if (!parsed.success) throw invalidInput(parsed.error);
  const loops = await context.parts.loops();
  await loops.send(id, parsed.data);
  return loops.get(id);
}

/** The fields of a task that were given; the command's schema checks them. */
function fieldsOf({ promptTemplate, onError, tool, mode, command }: TaskFlags) {
  return withoutUndefined({
    ...{ tool, mode, command },
    ...{ prompt_template: promptTemplate, on_error: onError },
  });
}

function answerWith(state: LoopState): Answer {
  const data = { loop_id: state.loop_id, tasks: tasksOf(state) };
  return { data, text: taskLines(state).join("\n") };
}
