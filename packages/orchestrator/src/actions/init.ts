import {
  DevelopTask,
  InitUpdates,
  isLoopError,
  type LoopEvent,
  type LoopState,
  type Mode,
} from "@ccw-loop/core";
import { nowOf } from "../run/context.ts";
import { askAgent } from "../turns/turn.ts";
import type { ActionEnd, Execution } from "./action.ts";
import { contextValues } from "./context-values.ts";

/** INIT: the plan. Tasks that were given are the plan; otherwise the agent splits the task (seed 001). */
export async function runInit(execution: Execution): Promise<ActionEnd> {
  const { ctx, prompts, state } = execution;
  if ((state.tasks?.length ?? 0) > 0) {
    return planned(execution, "The given tasks are the plan.", (newest) => newest.tasks ?? []);
  }
  const prompt = await prompts.render("init", await contextValues(execution));
  try {
    const { result } = await askAgent(ctx, prompts, state, "INIT", prompt);
    if (result.status === "needs_input") return { kind: "question", prompt: result.message };
    const updates = InitUpdates.safeParse(result.state_updates);
    if (updates.success && result.status === "success") {
      const tasks = updates.data.tasks.map((task, i) => newTask(task, i + 1, nowOf(ctx)));
      return planned(execution, result.message, (newest) => [...tasks, ...(newest.tasks ?? [])]);
    }
  } catch (error) {
    if (!isLoopError(error, "agent_bad_result")) throw error;
  }
  const whole = newTask({ description: state.description || state.title }, 1, nowOf(ctx));
  const message = "The agent gave no usable plan; the whole task is one task.";
  return planned(execution, message, (newest) => [whole, ...(newest.tasks ?? [])]);
}

function planned(
  execution: Execution,
  message: string,
  tasks: (newest: LoopState) => DevelopTask[],
): ActionEnd {
  const mode: Mode = execution.state.settings?.mode ?? "interactive";
  return {
    kind: "events",
    events: (newest): LoopEvent[] => [
      {
        type: "action.completed",
        at: nowOf(execution.ctx),
        action: "INIT",
        message,
        active_ms: execution.activeMs(),
        output: { action: "INIT", mode: newest.settings?.mode ?? mode, tasks: tasks(newest) },
      },
    ],
  };
}

function newTask(fields: { description: string }, number: number, at: string): DevelopTask {
  const id = `task-${String(number).padStart(3, "0")}`;
  return DevelopTask.parse({ ...fields, id, status: "pending", created_at: at });
}
