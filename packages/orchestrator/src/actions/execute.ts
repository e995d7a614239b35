import {
  isLoopError,
  LoopError,
  type LoopEvent,
  type LoopState,
  MAX_ATTEMPTS,
  nextTask,
  selectNextAction,
  tasksOf,
} from "@ccw-loop/core";
import type { PromptLibrary } from "../prompts/library.ts";
import { nowOf, type RunContext } from "../run/context.ts";
import { Interruption } from "../run/control.ts";
import type { ActionEnd, ActionRunner, Execution, RunnableAction } from "./action.ts";
import { runComplete } from "./complete.ts";
import { runDebug } from "./debug.ts";
import { failed, runDevelop } from "./develop.ts";
import { runInit } from "./init.ts";
import { runValidate } from "./validate.ts";

const RUNNERS: Record<RunnableAction, ActionRunner> = {
  INIT: runInit,
  DEVELOP: runDevelop,
  DEBUG: runDebug,
  VALIDATE: runValidate,
  COMPLETE: runComplete,
};

/** Errors of the environment: going on would only fail again, so the loop ends and names them. */
const FATAL = [
  "agent_unavailable",
  "agent_unauthorized",
  "agent_misconfigured",
  "sandbox_unavailable",
  "verify_unavailable",
] as const;

/** Errors of one action: recorded, and the loop goes on by its rules. */
const OF_THE_ACTION = [
  "agent_timeout",
  "agent_died",
  "agent_failed",
  "agent_bad_result",
  "rate_limited",
  "context_overflow",
] as const;

/** Executes one selected action: record that it starts, do it, record how it ended. */
export async function execute(
  ctx: RunContext,
  prompts: PromptLibrary,
  action: RunnableAction,
): Promise<void> {
  const measured = action === "DEVELOP" || action === "DEBUG";
  const tree = measured ? await ctx.workspace.tree() : null;
  const { state } = await ctx.recorder.record((newest) => started(ctx, newest, action, tree));
  if (state.action?.name !== action || state.action.interrupted !== null) return;

  const begun = ctx.deps.clock.monotonic();
  const execution: Execution = {
    ctx,
    prompts,
    state,
    baseTree: state.action.base_tree,
    activeMs: () => Math.max(0, Math.round(ctx.deps.clock.monotonic() - begun)),
  };
  try {
    if (ctx.control.signal.aborted) throw ctx.control.interruption;
    await recordEnd(execution, action, await RUNNERS[action](execution));
  } catch (error) {
    await recordFailure(execution, action, error);
  } finally {
    if (state.settings?.session === "fresh") await ctx.sessions.close();
  }
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
  if (attempt > MAX_ATTEMPTS) {
    const message = `${action} was begun ${MAX_ATTEMPTS} times and cut off each time.`;
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
    await ctx.recorder.record(end.events);
    return;
  }
  await ctx.recorder.record(() => [
    interrupted(execution, action, "needs_input"),
    {
      type: "waiting.started",
      at: nowOf(ctx),
      waiting: { kind: "input", since: nowOf(ctx), prompt: end.prompt },
    },
  ]);
}

async function recordFailure(
  execution: Execution,
  action: RunnableAction,
  error: unknown,
): Promise<void> {
  const { ctx } = execution;
  const cause = ctx.control.interruption ?? error;
  if (cause instanceof Interruption) return recordInterruption(execution, action, cause);
  if (isLoopError(error, "fenced")) throw error;

  if (isLoopError(error, "usage_limit")) {
    const until = error.details.resets_at;
    await ctx.recorder.record(() => [
      interrupted(execution, action, "usage_limit"),
      {
        type: "waiting.started",
        at: nowOf(ctx),
        waiting: {
          kind: "usage_limit",
          since: nowOf(ctx),
          prompt: error.message,
          ...(typeof until === "string" ? { until } : {}),
        },
      },
    ]);
    return;
  }
  if (isLoopError(error, ...OF_THE_ACTION)) return recordActionFailed(execution, action, error);

  const message = error instanceof Error ? error.message : String(error);
  const fatal = isLoopError(error, ...FATAL);
  await ctx.recorder.record((state) => [
    interrupted(execution, action, message),
    ...ending(state, nowOf(ctx), fatal ? { code: error.code, message } : undefined, message),
  ]);
  if (!fatal) throw error;
}

/** The environment's errors end the loop; what we did not expect pauses it, so that nothing runs on. */
function ending(
  state: LoopState,
  at: string,
  outcome: { code: string; message: string } | undefined,
  reason: string,
): LoopEvent[] {
  if (state.status !== "running") return [];
  return outcome ? [{ type: "loop.failed", at, outcome }] : [{ type: "loop.paused", at, reason }];
}

async function recordActionFailed(
  execution: Execution,
  action: RunnableAction,
  error: LoopError,
): Promise<void> {
  const { ctx } = execution;
  const at = nowOf(ctx);
  const restart: LoopEvent[] = [];
  if (error.code === "context_overflow") {
    const { driver } = ctx.sessions;
    await ctx.sessions.close();
    restart.push({ type: "agent.attached", at, driver, session_id: null });
  }
  await ctx.recorder.record((state) => {
    const task = tasksOf(state).find((t) => t.id === state.action?.task_id);
    if (action === "DEVELOP" && task) {
      return [...failed(execution, task, error.message, [], error.code), ...restart];
    }
    const event: LoopEvent = {
      type: "action.failed",
      at,
      action,
      task_id: null,
      message: error.message,
      code: error.code,
      active_ms: execution.activeMs(),
    };
    return [event, ...restart];
  });
}

async function recordInterruption(
  execution: Execution,
  action: RunnableAction,
  { kind, message }: Interruption,
): Promise<void> {
  const { ctx } = execution;
  if (kind === "lease") throw new LoopError("fenced", `Loop ${ctx.id}: ${message}`);
  await ctx.recorder.record((state) => [
    interrupted(execution, action, message),
    ...(kind === "signal" ? ending(state, nowOf(ctx), undefined, message) : []),
  ]);
}

function interrupted(execution: Execution, action: RunnableAction, reason: string): LoopEvent {
  const active_ms = execution.activeMs();
  return { type: "action.interrupted", at: nowOf(execution.ctx), action, reason, active_ms };
}
