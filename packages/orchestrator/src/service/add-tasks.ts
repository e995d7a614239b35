import { join } from "node:path";
import {
  clip,
  type DevelopTask,
  decide,
  errorText,
  isPlain,
  LoopError,
  type LoopEvent,
  LoopId,
  type LoopState,
  mintTaskId,
  type NewTask,
  ndjsonObjects,
  OnError,
  type Plain,
  replay,
  requireNoBashTask,
  type SendOptions,
  type TaskEdit,
  TaskMode,
  TaskTool,
  taskCommand,
  tasksOf,
} from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";
import { appendDecided, readAt } from "../run/recorder.ts";
import { randomHex } from "./create.ts";

/** More than anybody reads before they are done. */
const MOST_TASKS = 1000;

/** See `LoopService.importTasks`. Open issues are looked at first, then those that are history. */
export async function importTasks(
  deps: OrchestratorDeps,
  id: string,
  issue: string,
  options: SendOptions,
): Promise<DevelopTask[]> {
  return addOnce(deps, id, options, () => tasksOfIssue(deps, issue));
}

async function tasksOfIssue(deps: OrchestratorDeps, issue: string): Promise<TaskDraft[]> {
  const read = async (...path: string[]) =>
    ndjsonObjects(await textOf(deps, join(".workflow", "issues", ...path)));
  const issues = LoopId.safeParse(issue).success
    ? [...(await read("issues.jsonl")), ...(await read("issue-history.jsonl"))]
    : [];
  const found = issues.find((one) => one.id === issue);
  if (!found) throw new LoopError("issue_not_found", `Issue ${clip(issue, 200)} not found`);
  const drafts = solutionTasks(found, await read("solutions", `${issue}.jsonl`));
  if (drafts.length === 0) {
    throw new LoopError(
      "invalid_input",
      "No tasks found in issue. Bind a solution with tasks first.",
      { details: { issue } },
    );
  }
  if (drafts.length > MOST_TASKS) {
    const message = `Issue ${issue} has ${drafts.length} tasks, and at most ${MOST_TASKS} are imported. Divide its solution.`;
    throw new LoopError("invalid_input", message, { details: { issue } });
  }
  return drafts;
}

async function textOf({ files, cwd }: OrchestratorDeps, path: string): Promise<string> {
  try {
    return (await files.text(cwd, path)) ?? "";
  } catch (cause) {
    const message = `${join(cwd, path)} cannot be read: ${errorText(cause)}`;
    throw new LoopError("invalid_input", message, { cause });
  }
}

/** Adds what `draft` answers, unless a request with this op id did so before: then those tasks are the answer. */
export async function addOnce(
  deps: OrchestratorDeps,
  id: string,
  { opId, ...options }: SendOptions,
  draft: (state: LoopState) => Promise<readonly TaskDraft[]>,
): Promise<DevelopTask[]> {
  const before = opId === undefined ? [] : await tasksOfOperation(deps, id, opId);
  if (before.length > 0) return before;
  // The commit decides by the revision; a wrong one is refused before the drafts cost anything.
  const { state } = await readAt(deps.store, id, options.revision);
  return addTasks(deps, id, await draft(state), {
    ...options,
    opId: opId ?? randomHex() + randomHex(),
  });
}

/** Adds all of them behind the loop's tasks in one commit, or none. A repetition answers with those of the first time. */
async function addTasks(
  deps: OrchestratorDeps,
  id: string,
  drafts: readonly TaskDraft[],
  { opId, revision, allowBash }: SendOptions & { opId: string },
): Promise<DevelopTask[]> {
  const now = deps.clock.now();
  const tasks = drafts.map(
    ({ mode = "write", ...draft }): NewTask => ({
      ...draft,
      mode,
      id: mintTaskId(now, randomHex()),
      status: "pending",
      files_changed: [],
      created_at: null,
      completed_at: null,
    }),
  );
  await appendDecided(
    deps.store,
    id,
    (before) => {
      let state = before;
      const added = tasks.flatMap((task): LoopEvent[] => {
        const events = decide(state, { type: "add_task", task }, now.toISOString());
        state = replay(events, state);
        return events;
      });
      if (allowBash === false) requireNoBashTask(before, added);
      return added;
    },
    { actor: "operator", opId, revision },
  );
  return tasksOfOperation(deps, id, opId);
}

/** The tasks that the commit with this op id added, as they are now; empty when there is no such commit. */
async function tasksOfOperation(
  deps: OrchestratorDeps,
  id: string,
  opId: string,
): Promise<DevelopTask[]> {
  const made = await deps.store.operation(id, opId);
  if (!made) return [];
  const added = new Set<string>();
  for await (const { revision, event } of deps.store.events(id, made.revision - 1)) {
    if (revision > made.revision) break;
    if (event.type === "task.added") added.add(event.task.id);
  }
  return tasksOf(made.state).filter((task) => added.has(task.id));
}

/** A task before it has an id. */
export type TaskDraft = TaskEdit & { description: string; proposed?: true };

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
  const description = firstText(task.description, task.title) ?? `Task ${index + 1}`;
  const mode = firstText(task.mode) ?? "";
  const command = firstText(task.command);
  const error = firstText(task.on_error) ?? "";
  const on_error = ON_ERROR[error] ?? OnError.safeParse(error).data;
  const named = TaskTool.safeParse(firstText(task.tool)).data;
  const runs = taskCommand({ tool: named, command });
  // An issue's prose is never run, and its command is nobody's whom we know: the file comes with the repository.
  const isProse = named === "bash" && runs === null;
  return {
    description,
    ...(named === undefined || isProse ? {} : { tool: named }),
    ...(runs === null ? {} : { proposed: true }),
    mode: MODES[mode] ?? TaskMode.safeParse(mode).data ?? "write",
    prompt_template: firstText(task.prompt_template, task.prompt) ?? `Execute: ${description}`,
    ...(command === undefined ? {} : { command }),
    ...(on_error === undefined ? {} : { on_error }),
  };
}

/** The first of them that is a text with something in it. */
function firstText(...values: unknown[]): string | undefined {
  for (const value of values) {
    if (typeof value === "string" && value.trim() !== "") return value.trim();
  }
  return undefined;
}
