import type {
  ActionName,
  ActionOutput,
  Activity,
  LoopEvent,
  LoopEventOf,
  LoopState,
  ProcessScope,
  RunOptions,
  Waiting,
  Workspace,
} from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";
import type { PromptLibrary } from "../prompts.ts";
import type { Sessions } from "../turns/sessions.ts";
import type { LoopWatcher } from "./loop-watcher.ts";
import type { Recorder } from "./recorder.ts";

export interface RunContext {
  id: string;
  deps: OrchestratorDeps;
  /** Where the agent and the tests of this loop run. */
  cwd: string;
  /** For whom the processes of this run work: of the lease under which it is driven. */
  scope: ProcessScope;
  watcher: LoopWatcher;
  recorder: Recorder;
  sessions: Sessions;
  /** Without the files in `leftOut`. */
  workspace: Workspace;
  /** Files that are no part of what is measured, kept and proven. */
  leftOut: Set<string>;
  prompts: PromptLibrary;
  options: RunOptions;
}

export function nowOf(ctx: { deps: OrchestratorDeps }): string {
  return ctx.deps.clock.now().toISOString();
}

/** Shows what goes on and keeps it in agent.log, except for running totals; never stops an action. */
export function report(
  ctx: Pick<RunContext, "id" | "deps" | "options">,
  action: ActionName,
  event: Activity["event"],
): void {
  const activity: Activity = { at: nowOf(ctx), action, event };
  ctx.options.onEvent?.({ kind: "activity", id: ctx.id, activity });
  if (event.type === "usage.updated") return;
  ctx.deps.store.appendLog(ctx.id, [activity]).catch(() => undefined);
}

export function warn(ctx: Parameters<typeof report>[0], action: ActionName, message: string): void {
  report(ctx, action, { type: "warning.raised", message });
}

/** An action that is being executed: the state after its `action.started`. */
export interface Execution {
  ctx: RunContext;
  state: LoopState;
  /** Milliseconds of work since it started. */
  activeMs: () => number;
  /** Waits for a person's answer, which is no work; rejects with the reason when the loop is interrupted first. */
  asking: <T>(answer: Promise<T>) => Promise<T>;
  /** The tree before its first attempt, and before this one; null without one. */
  baseTree: string | null;
  tree: string | null;
  /** The tree that was named just before, whatever the action is; null where none was. */
  looked: string | null;
}

/** How one action ends: the facts to record for the newest state, or a question that must be answered first. */
export type ActionEnd =
  | {
      kind: "events";
      events: (state: LoopState) => LoopEvent[];
      /** The tree that was named since the action's last turn or run. */
      looked?: string | undefined;
    }
  | { kind: "question"; prompt: string; about?: Waiting["about"]; options?: string[] };

export type ActionRunner = (execution: Execution) => Promise<ActionEnd>;

export type RunnableAction = Exclude<ActionName, "MENU">;

/** The action did what it was for. */
export function actionCompleted(
  { ctx, activeMs }: Execution,
  message: string,
  output: ActionOutput,
  at = nowOf(ctx),
): LoopEvent {
  const { action } = output;
  return { type: "action.completed", at, action, message, active_ms: activeMs(), output };
}

/** The action came to its end without doing what it was for; the rules decide what follows. */
export function actionFailed(
  { ctx, activeMs }: Execution,
  action: RunnableAction,
  why: { message: string; code: string; task_id: string | null; files_changed: string[] },
): LoopEvent {
  return { type: "action.failed", at: nowOf(ctx), action, active_ms: activeMs(), ...why };
}

const ENDS: readonly LoopEvent["type"][] = [
  "action.completed",
  "action.failed",
  "action.interrupted",
];

/** Adds the tree that the action left to the event that ends it: later changes are not the action's. */
export function withTree(tree: string | null) {
  return (event: LoopEvent): LoopEvent =>
    ENDS.includes(event.type) ? ({ ...event, tree } as LoopEvent) : event;
}

/** The tree that an action leaves; null where it cannot be measured. */
export async function treeNow({ workspace }: RunContext): Promise<string | null> {
  return workspace.tree().catch(() => null);
}

export type Cause = NonNullable<LoopEventOf<"action.interrupted">["cause"]>;

/** The action was cut off and will be repeated, if it is still wanted then. */
export function interrupted(
  { ctx, activeMs }: Execution,
  action: RunnableAction,
  reason: string,
  cause: Cause,
): LoopEvent {
  const active_ms = activeMs();
  return { type: "action.interrupted", at: nowOf(ctx), action, reason, active_ms, cause };
}
