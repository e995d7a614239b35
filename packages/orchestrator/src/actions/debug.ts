import {
  DevelopTask,
  type Hypothesis,
  type LoopEvent,
  type LoopState,
  ownTool,
  type TaskProposal,
  tasksOf,
} from "@ccw-loop/core";
import {
  type ActionEnd,
  actionCompleted,
  actionFailed,
  type Execution,
  nowOf,
  warn,
} from "../run/context.ts";
import { removeInstrumentation } from "./debug/instrumentation.ts";
import { type Finding, investigate } from "./debug/investigate.ts";
import { freeTaskIds } from "./init.ts";

/**
 * DEBUG: the agent states hypotheses, the orchestrator runs their probes, the agent judges what they showed; a confirmed
 * cause becomes a fix task. However it ends, the instrumentation is taken out of the files.
 */
export async function runDebug(execution: Execution): Promise<ActionEnd> {
  // What an attempt left behind that its process did not live to remove.
  if ((execution.state.action?.attempt ?? 1) > 1) await removeInstrumentation(execution);
  let found: Awaited<ReturnType<typeof investigate>>;
  try {
    found = await investigate(execution);
  } catch (error) {
    await removeInstrumentation(execution).catch((problem: unknown) => {
      const message = `Instrumentation may be left in the files: ${problem}`;
      warn(execution.ctx, "DEBUG", message);
    });
    throw error;
  }
  const { left, changes, looked } = await removeInstrumentation(execution);
  if (found.kind === "question") return found;
  const files_changed = changes.map(({ path }) => path);
  const events = (newest: LoopState): LoopEvent[] => {
    if (left.length > 0) return failed(execution, leftText(left), files_changed);
    if (found.kind === "failed") return failed(execution, found.message, files_changed);
    return completed(execution, newest, found, files_changed);
  };
  return { kind: "events", events, looked };
}

function completed(
  execution: Execution,
  newest: LoopState,
  found: Finding,
  files_changed: string[],
): LoopEvent[] {
  const { message, active_bug, understanding, hypotheses, cause } = found;
  const at = nowOf(execution.ctx);
  const output = {
    action: "DEBUG" as const,
    active_bug: active_bug ?? newest.skill_state?.validate.failed_tests[0] ?? null,
    understanding,
    hypotheses,
    confirmed_hypothesis: cause?.id ?? null,
    fix_tasks: cause ? fixTasks(newest, cause, found.fix_tasks, files_changed, at) : [],
    files_changed,
  };
  return [actionCompleted(execution, message, output, at)];
}

function failed(execution: Execution, message: string, files_changed: string[]): LoopEvent[] {
  const why = { message, code: "action_failed", task_id: null, files_changed };
  return [actionFailed(execution, "DEBUG", why)];
}

function leftText(left: readonly string[]): string {
  const names = left.slice(0, 5).join(", ");
  return `Instrumentation could not be taken out of ${names}. Remove the lines with ccw-probe by hand.`;
}

/** The agent's fixes for a confirmed cause; one of ours when it names none and repaired nothing itself. */
export function fixTasks(
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
    return DevelopTask.parse({
      tool: ownTool(state),
      ...task,
      id: ids(),
      status: "pending",
      created_at: at,
      fixes,
    });
  });
}
