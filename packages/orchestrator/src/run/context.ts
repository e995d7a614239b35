import type {
  ActionName,
  Activity,
  LiveEvent,
  LoopState,
  Menu,
  MenuChoice,
  ProcessScope,
  RunOptions,
  Workspace,
} from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";
import type { SessionKeeper } from "../turns/session-keeper.ts";
import type { Control } from "./control.ts";
import type { Recorder } from "./recorder.ts";

/** Everything one run of one loop shares. */
export interface RunContext {
  id: string;
  deps: OrchestratorDeps;
  /** Where the agent and the tests of this loop run. */
  cwd: string;
  /** Of the lease under which it is driven. */
  epoch: number;
  control: Control;
  recorder: Recorder;
  sessions: SessionKeeper;
  /** Without the files in `leftOut`. */
  workspace: Workspace;
  /** Files that are no part of what is measured, kept and proven. */
  leftOut: Set<string>;
  /** What the caller's signal makes of the loop. */
  onAbort: "pause" | "release";
  choose: ((menu: Menu, state: LoopState) => Promise<MenuChoice>) | undefined;
  askKnownRed: RunOptions["askKnownRed"];
  askSetup: RunOptions["askSetup"];
  emit: (event: LiveEvent) => void;
}

/** For whom the processes of this run work. */
export function scopeOf({ id, epoch }: RunContext): ProcessScope {
  return { loop: id, epoch };
}

/** RFC 3339 time of now. */
export function nowOf(ctx: { deps: OrchestratorDeps }): string {
  return ctx.deps.clock.now().toISOString();
}

/** Shows what goes on and keeps it in agent.log, except for running totals; never stops an action. */
export function report(
  ctx: Pick<RunContext, "id" | "deps" | "emit">,
  action: ActionName,
  event: Activity["event"],
): void {
  const activity: Activity = { at: nowOf(ctx), action, event };
  ctx.emit({ kind: "activity", id: ctx.id, activity });
  if (event.type === "usage.updated") return;
  ctx.deps.store.appendLog(ctx.id, "agent.log", [activity]).catch(() => undefined);
}
