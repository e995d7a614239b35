import {
  type Baseline,
  DevelopTask,
  decide,
  InitUpdates,
  isLoopError,
  type LoopEvent,
  type LoopState,
  modeOf,
  ownTool,
  redTestsOf,
} from "@ccw-loop/core";
import { measureBaseline, offerSetup } from "../proof/baseline.ts";
import { makeCheckpoint } from "../run/checkpoint.ts";
import { type ActionEnd, actionCompleted, type Execution, nowOf } from "../run/context.ts";
import { askAgent } from "../turns/turn.ts";
import { contextValues } from "./prompt-values.ts";

/** INIT: the plan. Tasks that were given are the plan; otherwise the agent splits the task (seed 001). */
export async function runInit(begun: Execution): Promise<ActionEnd> {
  const measured = await measure(begun);
  const execution: Execution = { ...begun, state: await narrowed(begun, measured) };
  const { ctx, state } = execution;
  if ((state.tasks?.length ?? 0) > 0) {
    const message = "The given tasks are the plan.";
    const end = planned(execution, message, (newest) => newest.tasks ?? []);
    // Nothing ran since the baseline, unless it is an earlier attempt's or a person was asked something.
    const isNew = !begun.state.baseline && modeOf(measured) !== "interactive";
    return isNew ? { ...end, looked: measured.baseline?.tree ?? undefined } : end;
  }
  const prompt = await ctx.prompts.render("init", await contextValues(execution));
  try {
    const result = await askAgent(execution, "INIT", prompt);
    if (result.status === "needs_input") return { kind: "question", prompt: result.message };
    const updates = InitUpdates.safeParse(result.state_updates);
    if (updates.success && result.status === "success") {
      const { tasks, set_aside } = updates.data;
      return planned(execution, result.message, withGiven(execution, tasks), set_aside);
    }
  } catch (error) {
    if (!isLoopError(error, "agent_bad_result")) throw error;
  }
  const whole = { description: state.description || state.title };
  const message = "The agent gave no usable plan; the whole task is one task.";
  return planned(execution, message, withGiven(execution, [whole]));
}

/**
 * The files and the tests as they are before the agent touches anything, once for a loop. Answers with the state and
 * its baseline; what else came meanwhile is looked at when the plan is recorded.
 */
async function measure(execution: Execution): Promise<LoopState> {
  const { ctx, state } = execution;
  const kept = state.checkpoints?.length ? null : await makeCheckpoint(ctx, null);
  if (kept) await ctx.recorder.record(() => [kept.event]);
  if (state.baseline) return state;
  const baseline = await baselineOf(execution, kept?.checkpoint.tree ?? null);
  const event: LoopEvent = { type: "baseline.measured", at: nowOf(ctx), baseline };
  const { state: newest } = await ctx.recorder.record(() => [event]);
  return { ...state, settings: newest.settings, baseline };
}

/** The baseline; where something is missing that a person lets us install, the one behind that. */
async function baselineOf(execution: Execution, looked: string | null): Promise<Baseline> {
  try {
    return await measureBaseline(execution, looked);
  } catch (error) {
    const prepared = await offerSetup(execution, error);
    if (prepared === null) throw error;
    return measureBaseline(prepared, null);
  }
}

/**
 * Has the person at an interactive loop say which red tests need not pass. Answers with the state behind that; a test that
 * nobody excepts is owed.
 */
async function narrowed({ ctx, asking }: Execution, state: LoopState): Promise<LoopState> {
  const { owed } = redTestsOf(state);
  const ask = modeOf(state) === "interactive" ? ctx.options.askKnownRed : undefined;
  if (!ask || owed.length === 0) return state;
  const patterns = await asking(ask(owed, state));
  if (patterns.length === 0) return state;
  const { state: newest } = await ctx.recorder.record((current) => {
    const known_red = [...(current.settings?.known_red ?? []), ...patterns];
    return decide(current, { type: "edit", changes: { settings: { known_red } } }, nowOf(ctx));
  });
  return newest;
}

function planned(
  execution: Execution,
  message: string,
  tasks: (newest: LoopState) => DevelopTask[],
  set_aside?: string[],
): Extract<ActionEnd, { kind: "events" }> {
  return {
    kind: "events",
    events: (newest) => [
      actionCompleted(execution, message, {
        action: "INIT",
        mode: modeOf(newest),
        tasks: tasks(newest),
        ...(set_aside?.length ? { set_aside } : {}),
      }),
    ],
  };
}

/** The agent's plan, then the tasks that a person gave while it was made. */
function withGiven({ ctx }: Execution, plan: readonly { description: string }[]) {
  return (newest: LoopState): DevelopTask[] => {
    const given = newest.tasks ?? [];
    const ids = freeTaskIds("task", given);
    const created_at = nowOf(ctx);
    const tasks = plan.map((fields) =>
      DevelopTask.parse({
        tool: ownTool(newest),
        ...fields,
        id: ids(),
        status: "pending",
        created_at,
      }),
    );
    return [...tasks, ...given];
  };
}

/** Mints `task-001`, `task-002`, … behind the highest number that a task of the loop has already. */
export function freeTaskIds(prefix: string, tasks: readonly DevelopTask[]): () => string {
  const pattern = new RegExp(`^${prefix}-(\\d{1,9})$`);
  let number = Math.max(0, ...tasks.map(({ id }) => Number(pattern.exec(id)?.[1] ?? 0)));
  return () => {
    number += 1;
    return `${prefix}-${String(number).padStart(3, "0")}`;
  };
}
