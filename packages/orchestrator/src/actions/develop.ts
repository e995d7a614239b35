import {
  DevelopUpdates,
  type FileChange,
  type LoopEvent,
  type LoopState,
  nextTask,
  tasksOf,
} from "@ccw-loop/core";
import { changesSince, differingClaims } from "../proof/changes.ts";
import { type ActionEnd, actionFailed, type Execution, nowOf } from "../run/context.ts";
import { askAgent } from "../turns/turn.ts";
import { hypothesesText } from "./debug/evidence-text.ts";
import { contextValues, stallNote } from "./prompt-values.ts";

/** DEVELOP: one task by one agent turn. What changed is measured, not believed. */
export async function runDevelop(execution: Execution): Promise<ActionEnd> {
  const { ctx, state } = execution;
  const task = tasksOf(state).find((t) => t.id === state.action?.task_id) ?? nextTask(state);
  if (!task) return { kind: "question", prompt: "No task is open. Add one, or stop the loop." };
  const tasks = tasksOf(state);
  const known = state.skill_state?.debug.hypotheses ?? [];
  const extra = [
    task.prompt_template && `Instructions: ${task.prompt_template}`,
    task.command && `Command given for this task: ${task.command}`,
  ].filter(Boolean);
  const prompt = await ctx.prompts.render("develop", {
    ...(await contextValues(execution)),
    task_id: task.id,
    task_number: String(tasks.indexOf(task) + 1),
    task_total: String(tasks.length),
    task: task.description,
    task_extra: extra.join("\n"),
    knowledge: hypothesesText(known.filter(({ status }) => status !== "pending")),
    standstill: stallNote(state),
  });
  const result = await askAgent(execution, "DEVELOP", prompt);
  if (result.status === "needs_input") return { kind: "question", prompt: result.message };

  const { changes, looked } = await changesSince(execution);
  const files_changed = changes.map((c: FileChange) => c.path);
  if (result.status === "failed") {
    return {
      kind: "events",
      looked,
      events: (newest) => failed(execution, newest, task, result.message, files_changed),
    };
  }
  const updates = DevelopUpdates.safeParse(result.state_updates);
  const claimed = differingClaims(result.files_updated, files_changed);
  return {
    kind: "events",
    looked,
    events: () => [
      {
        type: "action.completed",
        at: nowOf(ctx),
        action: "DEVELOP",
        message: result.message,
        active_ms: execution.activeMs(),
        output: {
          action: "DEVELOP",
          task_id: task.id,
          summary: (updates.success && updates.data.summary) || result.message,
          files_changed,
          ...(claimed ? { claimed_files: claimed } : {}),
        },
      },
    ],
  };
}

/** The facts of a task that could not be done; its `on_error` pauses or ends a loop that nobody has ended yet. */
export function failed(
  execution: Execution,
  { status }: LoopState,
  task: { id: string; on_error?: string | undefined },
  message: string,
  files_changed: string[],
  code = "action_failed",
): LoopEvent[] {
  const at = nowOf(execution.ctx);
  const why = { message, code, task_id: task.id, files_changed };
  const event = actionFailed(execution, "DEVELOP", why);
  const reason = `Task ${task.id} failed: ${message}`;
  if (task.on_error === "pause" && status === "running") {
    return [event, { type: "loop.paused", at, reason }];
  }
  if (task.on_error === "fail_fast" && (status === "running" || status === "paused")) {
    return [event, { type: "loop.failed", at, outcome: { code: "tasks_failed", message: reason } }];
  }
  return [event];
}
