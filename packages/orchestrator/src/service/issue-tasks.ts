import {
  isPlain,
  OnError,
  type Plain,
  type TaskEdit,
  TaskMode,
  TaskTool,
  taskCommand,
} from "@ccw-loop/core";

/** A task before it has an id. */
export type TaskDraft = TaskEdit & { description: string; proposed?: true };

/** How issues spell modes and answers to errors. */
const MODES: Readonly<Record<string, TaskMode>> = {
  read: "analysis",
  create: "write",
  modify: "write",
};
const ON_ERROR: Readonly<Record<string, OnError>> = { stop: "pause", abort: "fail_fast" };

/** The tasks of the solution that is bound to an issue, else of the first one; empty when there are none. */
export function solutionTasks(issue: Plain, solutions: readonly Plain[]): TaskDraft[] {
  const named = solutions.find(({ id }) => id !== undefined && id === issue.bound_solution_id);
  const chosen = named ?? solutions.find(({ is_bound }) => is_bound === true) ?? solutions[0];
  const tasks = Array.isArray(chosen?.tasks) ? chosen.tasks : [];
  return tasks.flatMap((task: unknown, index) => (isPlain(task) ? [draftOf(task, index)] : []));
}

/**
 * An issue's task in a loop's words: the fields and the defaults of upstream's importer, but for the tool, which nobody
 * chose where none is named.
 */
function draftOf(task: Plain, index: number): TaskDraft {
  const description = textOf(task.description, task.title) ?? `Task ${index + 1}`;
  const mode = textOf(task.mode) ?? "";
  const command = textOf(task.command);
  const error = textOf(task.on_error) ?? "";
  const on_error = ON_ERROR[error] ?? OnError.safeParse(error).data;
  const named = TaskTool.safeParse(textOf(task.tool)).data;
  const runs = taskCommand({ tool: named, command });
  // An issue's prose is never run, and its command is nobody's whom we know: the file comes with the repository.
  const isProse = named === "bash" && runs === null;
  return {
    description,
    ...(named === undefined || isProse ? {} : { tool: named }),
    ...(runs === null ? {} : { proposed: true }),
    mode: MODES[mode] ?? TaskMode.safeParse(mode).data ?? "write",
    prompt_template: textOf(task.prompt_template, task.prompt) ?? `Execute: ${description}`,
    ...(command === undefined ? {} : { command }),
    ...(on_error === undefined ? {} : { on_error }),
  };
}

/** The first of them that is a text with something in it. */
function textOf(...values: unknown[]): string | undefined {
  for (const value of values) {
    if (typeof value === "string" && value.trim() !== "") return value.trim();
  }
  return undefined;
}
