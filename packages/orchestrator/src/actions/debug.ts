import {
  DevelopTask,
  debugUpdates,
  type Hypothesis,
  type LoopState,
  type TaskProposal,
  tasksOf,
} from "@ccw-loop/core";
import { nowOf } from "../run/context.ts";
import { askAgent } from "../turns/turn.ts";
import { type ActionEnd, actionFailed, type Execution } from "./action.ts";
import { contextValues, failures, knowledge } from "./context-values.ts";
import { changesSince } from "./measure.ts";
import { freeTaskIds } from "./task-ids.ts";

/** DEBUG: hypotheses with evidence; a confirmed cause becomes a fix task (DESIGN §5 rule 9, §7). */
export async function runDebug(execution: Execution): Promise<ActionEnd> {
  const { ctx, prompts, state } = execution;
  const prompt = await prompts.render("debug", {
    ...(await contextValues(execution)),
    failures: failures(execution),
    knowledge: knowledge(execution),
  });
  const result = await askAgent(execution, "DEBUG", prompt);
  if (result.status === "needs_input") return { kind: "question", prompt: result.message };
  const known = state.skill_state?.debug.hypotheses ?? [];
  const updates = debugUpdates(known).safeParse(result.state_updates);
  const files_changed = (await changesSince(execution)).map((c) => c.path);
  if (result.status === "failed" || !updates.success) {
    const message = updates.success
      ? result.message
      : `The DEBUG answer cannot be used: ${updates.error.issues[0]?.message}`;
    const why = { message, code: "action_failed", task_id: null, files_changed };
    return { kind: "events", events: () => [actionFailed(execution, "DEBUG", why)] };
  }
  const { active_bug, understanding, hypotheses, confirmed_hypothesis, fix_tasks } = updates.data;
  const cause = hypotheses.find((h) => h.id === confirmed_hypothesis);
  return {
    kind: "events",
    events: (newest) => [
      {
        type: "action.completed",
        at: nowOf(ctx),
        action: "DEBUG",
        message: result.message,
        active_ms: execution.activeMs(),
        output: {
          action: "DEBUG",
          active_bug: active_bug ?? newest.skill_state?.validate.failed_tests[0] ?? null,
          understanding: understanding || result.message,
          hypotheses,
          confirmed_hypothesis: cause?.id ?? null,
          fix_tasks: cause ? fixTasks(newest, cause, fix_tasks, files_changed, nowOf(ctx)) : [],
          files_changed,
        },
      },
    ],
  };
}

/** The agent's fixes for a confirmed cause; one of ours when it names none and repaired nothing itself. */
function fixTasks(
  state: LoopState,
  cause: Hypothesis,
  proposed: readonly TaskProposal[],
  files_changed: readonly string[],
  at: string,
): DevelopTask[] {
  const ours = { description: `Fix the cause of the failure: ${cause.description}` };
  const wanted: readonly Partial<TaskProposal>[] =
    proposed.length > 0 || files_changed.length > 0 ? proposed : [ours];
  const failed = tasksOf(state).filter((t) => t.status === "failed");
  const ids = freeTaskIds("fix", tasksOf(state));
  return wanted.map((task) => {
    const named = failed.find((t) => t.id === task.fixes);
    const fixes = (named ?? failed[0])?.id ?? cause.id;
    return DevelopTask.parse({ ...task, id: ids(), status: "pending", created_at: at, fixes });
  });
}
