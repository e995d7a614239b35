import {
  type ActionResult,
  type DevelopTask,
  DevelopUpdates,
  isAnalysis,
  isLoopError,
  type LoopEvent,
  type LoopState,
  nextTask,
  shellWord,
  type TaskRun,
  taskCommand,
  tasksOf,
  withoutUndefined,
} from "@ccw-loop/core";
import { changesSince, differingClaims } from "../proof/changes.ts";
import {
  type ActionEnd,
  actionCompleted,
  actionFailed,
  type Execution,
  nowOf,
  warn,
} from "../run/context.ts";
import { askAgent } from "../turns/turn.ts";
import { failedRunsText, hypothesesText } from "./debug/evidence-text.ts";
import { contextValues, stallNote } from "./prompt-values.ts";
import { runProblem, runSummary, runTaskCommand } from "./run-command.ts";
import { undoChanges, undoWithWarning } from "./undo-changes.ts";

/**
 * DEVELOP: one task, by one turn of the agent or by the task's command. What changed is measured, not believed; a task that
 * may change no file has what it changed put back, and fails.
 */
export async function runDevelop(execution: Execution): Promise<ActionEnd> {
  const { state } = execution;
  const task = tasksOf(state).find((t) => t.id === state.action?.task_id) ?? nextTask(state);
  if (!task) return { kind: "question", prompt: "No task is open. Add one, or stop the loop." };
  try {
    return await doTask(execution, task);
  } catch (error) {
    // One that was cut off is begun again, and may have been cut off because the files are another owner's by now.
    if (isAnalysis(task) && !execution.ctx.watcher.interruption) await undoWithWarning(execution);
    throw error;
  }
}

/** How a task was done, before anything is measured; `problem` is why it failed. */
interface Done {
  problem: string | null;
  result: ActionResult | undefined;
  command_run: TaskRun | undefined;
}

async function doTask(execution: Execution, task: DevelopTask): Promise<ActionEnd> {
  const command = taskCommand(task);
  const done =
    command === null ? await byAgent(execution, task) : await byCommand(execution, task, command);
  const { result, command_run } = done;
  if (result?.status === "needs_input") {
    if (isAnalysis(task)) await undoWithWarning(execution);
    return { kind: "question", prompt: result.message };
  }

  const measured = await changesSince(execution);
  const undone = isAnalysis(task) ? await undoChanges(execution, measured) : null;
  const files_changed = undone?.left ?? measured.changes.map(({ path }) => path);
  const looked = undone?.looked ?? measured.looked;
  const problems = [done.problem, undone?.problem].filter((one) => typeof one === "string");
  if (problems.length > 0) {
    const facts = { message: problems.join(" "), files_changed, command_run };
    return { kind: "events", looked, events: (newest) => failed(execution, newest, task, facts) };
  }
  const updates = DevelopUpdates.safeParse(result?.state_updates);
  const said = (updates.success && updates.data.summary) || result?.message;
  const summary = command_run ? runSummary(command_run, files_changed.length) : (said ?? "");
  const claimed = result && differingClaims(result.files_updated, files_changed);
  const output = {
    ...{ action: "DEVELOP" as const, task_id: task.id, summary, files_changed },
    ...withoutUndefined({ claimed_files: claimed, command_run }),
  };
  const message = result?.message ?? summary;
  return { kind: "events", looked, events: () => [actionCompleted(execution, message, output)] };
}

/** A command of an agent's that may not be run as such is a task for the agent, whose own questions are answered by the same policy. */
async function byCommand(execution: Execution, task: DevelopTask, command: string): Promise<Done> {
  const { proposed } = task;
  try {
    const command_run = await runTaskCommand(execution, { command, proposed });
    return { problem: runProblem(command_run), result: undefined, command_run };
  } catch (error) {
    if (!isLoopError(error, "command_declined")) throw error;
    const again = `ccw-loop tasks edit ${execution.ctx.id} ${task.id} --command ${shellWord(command)}`;
    const message = `${error.message} The agent does task ${task.id} in a turn instead. To have it run, name it: ${again}`;
    warn(execution.ctx, "DEVELOP", message);
    return byAgent(execution, task);
  }
}

async function byAgent(execution: Execution, task: DevelopTask): Promise<Done> {
  const { ctx, state } = execution;
  const tasks = tasksOf(state);
  const known = state.skill_state?.debug.hypotheses ?? [];
  const extra = [
    task.prompt_template && `Instructions: ${task.prompt_template}`,
    task.command && `Command given for this task: ${task.command}`,
    isAnalysis(task) &&
      "This task is an analysis: change no file, put what you find into the summary.",
  ].filter(Boolean);
  const decided = hypothesesText(known.filter(({ status }) => status !== "pending"));
  const prompt = await ctx.prompts.render("develop", {
    ...(await contextValues(execution)),
    task_id: task.id,
    task_number: String(tasks.indexOf(task) + 1),
    task_total: String(tasks.length),
    task: task.description,
    task_extra: extra.join("\n"),
    knowledge: `${decided}${failedRunsText(tasks)}`,
    standstill: stallNote(state),
  });
  const result = await askAgent(execution, "DEVELOP", prompt);
  const problem = result.status === "failed" ? result.message : null;
  return { problem, result, command_run: undefined };
}

interface TaskFailure {
  message: string;
  code?: string;
  files_changed?: string[];
  command_run?: TaskRun | undefined;
}

/** The facts of a task that could not be done; its `on_error` pauses or ends a loop that nobody has ended yet. */
export function failed(
  execution: Execution,
  { status }: LoopState,
  task: Pick<DevelopTask, "id" | "on_error">,
  { message, code = "action_failed", files_changed = [], command_run }: TaskFailure,
): LoopEvent[] {
  const at = nowOf(execution.ctx);
  const why = { message, code, task_id: task.id, files_changed };
  const event = {
    ...actionFailed(execution, "DEVELOP", why),
    ...withoutUndefined({ command_run }),
  };
  const reason = `Task ${task.id} failed: ${message}`;
  if (task.on_error === "pause" && status === "running") {
    return [event, { type: "loop.paused", at, reason }];
  }
  if (task.on_error === "fail_fast" && (status === "running" || status === "paused")) {
    return [event, { type: "loop.failed", at, outcome: { code: "tasks_failed", message: reason } }];
  }
  return [event];
}
