import {
  agentFor,
  isAnalysis,
  type LoopEvent,
  type LoopState,
  MAX_ATTEMPTS,
  nextTask,
  orAborted,
  selectNextAction,
  tasksOf,
} from "@ccw-loop/core";
import { makeCheckpoint } from "../run/checkpoint.ts";
import {
  type ActionEnd,
  type ActionRunner,
  type Execution,
  nowOf,
  type RunContext,
  type RunnableAction,
  treeNow,
  withTree,
} from "../run/context.ts";
import { runComplete } from "./complete.ts";
import { runDebug } from "./debug.ts";
import { runDevelop } from "./develop.ts";
import { runInit } from "./init.ts";
import { recordFailure, recordWait } from "./record-end.ts";
import { undoWithWarning } from "./undo-changes.ts";
import { runValidate } from "./validate.ts";

/** Actions behind which a checkpoint is made; VALIDATE makes its own, for the receipt names it. */
const CHECKPOINTED: readonly RunnableAction[] = ["INIT", "DEVELOP", "DEBUG"];

const RUNNERS: Record<RunnableAction, ActionRunner> = {
  INIT: runInit,
  DEVELOP: runDevelop,
  DEBUG: runDebug,
  VALIDATE: runValidate,
  COMPLETE: runComplete,
};

/** Executes one selected action: record that it starts, do it, record how it ended. `measured` is the tree of this moment. */
export async function execute(
  ctx: RunContext,
  action: RunnableAction,
  measured: string | null,
): Promise<void> {
  const works = action === "DEVELOP" || action === "DEBUG";
  const tree = works ? (measured ?? (await ctx.workspace.tree())) : null;
  if (action === "DEVELOP") await undoGivenUp(ctx, tree);
  const { state } = await ctx.recorder.record((newest) => started(ctx, newest, action, tree));
  if (state.action?.name !== action || state.action.interrupted !== null) return;
  const execution = executionOf(ctx, state, { tree, looked: measured ?? tree });
  try {
    if (ctx.watcher.signal.aborted) throw ctx.watcher.interruption;
    const task = tasksOf(state).find(({ id }) => id === state.action?.task_id);
    ctx.sessions.choose(state, agentFor(state, task, nowOf(ctx)));
    const end = await RUNNERS[action](execution);
    // What was measured while its processes were being ended is not what they would have done.
    if (ctx.watcher.interruption?.kind === "lease_expired") throw ctx.watcher.interruption;
    await recordEnd(execution, action, end);
  } catch (error) {
    await recordFailure(execution, action, error);
  } finally {
    await ctx.sessions.rest(state);
  }
}

function executionOf(
  ctx: RunContext,
  state: LoopState,
  trees: Pick<Execution, "tree" | "looked">,
): Execution {
  const { clock } = ctx.deps;
  const begun = clock.monotonic();
  let asked = 0;
  const asking: Execution["asking"] = async (answer) => {
    const from = clock.monotonic();
    try {
      return await orAborted(answer, ctx.watcher.signal);
    } finally {
      asked += clock.monotonic() - from;
    }
  };
  return {
    ctx,
    state,
    baseTree: state.action?.base_tree ?? null,
    ...trees,
    activeMs: () => Math.max(0, Math.round(clock.monotonic() - begun - asked)),
    asking,
  };
}

/** What an analysis changed that is not tried again is put back, before it is recorded that it failed. */
async function undoGivenUp(ctx: RunContext, tree: string | null): Promise<void> {
  const { state } = await ctx.deps.store.read(ctx.id);
  const task = nextTask(state);
  if (!task || !isAnalysis(task) || !isGivenUp(state, "DEVELOP", task.id)) return;
  await undoWithWarning(executionOf(ctx, state, { tree, looked: tree }));
}

/** Whether that action was cut off so often that it is not begun again. */
function isGivenUp({ action }: LoopState, name: RunnableAction, task_id: string | null): boolean {
  const isRepeated = action?.name === name && action.task_id === task_id;
  return isRepeated && (action.cut_off ?? 0) >= MAX_ATTEMPTS;
}

/** `action.started`, unless the newest state selects something else by now. */
function started(
  ctx: RunContext,
  state: LoopState,
  action: RunnableAction,
  tree: string | null,
): LoopEvent[] | null {
  if (selectNextAction(state).action !== action) return null;
  const at = nowOf(ctx);
  const task_id = action === "DEVELOP" ? (nextTask(state)?.id ?? null) : null;
  const repeated = state.action?.name === action && state.action.task_id === task_id;
  const attempt = repeated && state.action ? state.action.attempt + 1 : 1;
  if (isGivenUp(state, action, task_id)) {
    const message = `${action} was begun ${attempt - 1} times and cut off by a crash or an error ${MAX_ATTEMPTS} times.`;
    return [{ type: "action.failed", at, action, task_id, message, code: "cut_off", active_ms: 0 }];
  }
  return [{ type: "action.started", at, action, attempt, task_id, tree }];
}

async function recordEnd(
  execution: Execution,
  action: RunnableAction,
  end: ActionEnd,
): Promise<void> {
  const { ctx } = execution;
  if (end.kind === "events") {
    if (!CHECKPOINTED.includes(action)) {
      await ctx.recorder.record(end.events);
      return;
    }
    const kept = await makeCheckpoint(ctx, action, { looked: end.looked });
    const tree = kept ? kept.checkpoint.tree : await treeNow(ctx);
    await ctx.recorder.record((state) => {
      const events = end.events(state).map(withTree(tree));
      const ended = events.some(
        ({ type }) => type === "action.completed" || type === "action.failed",
      );
      return kept && ended ? [...events, kept.event] : events;
    });
    return;
  }
  const { kind: _, ...question } = end;
  const { about } = question;
  const isApproval = about === "objections" || about === "review";
  const kind = isApproval ? ("approval" as const) : ("input" as const);
  const waiting = { kind, since: nowOf(ctx), ...question };
  await recordWait(execution, action, "needs_input", "question", waiting);
}
