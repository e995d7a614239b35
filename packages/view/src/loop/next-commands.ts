import { agentFlag, type Driver, type LoopState, reopenCommand } from "@ccw-loop/core";
import { timeSince } from "../text/amounts.ts";

/** Commands that make sense from here; `isUndriven`: nobody drives the loop although it is to be driven. */
export function nextCommands(state: LoopState, isUndriven = false): string[] {
  const id = state.loop_id;
  const look = `ccw-loop show ${id}`;
  const agent = agentFlag(state);
  switch (state.status) {
    case "completed":
      return [...homeCommands(state), `ccw-loop show ${id} --receipt`, `ccw-loop logs ${id}`];
    case "failed":
      return [`ccw-loop why ${id}`, `ccw-loop logs ${id}`, reopenCommand(state)];
    case "paused":
      return [driveCommand(state), look];
    case "created":
    case "user_exit":
      return [`ccw-loop run --loop-id ${id}${agent}`, look];
    case "running":
      if (isUndriven) return [driveCommand(state), `ccw-loop supervise${agent}`, look];
      return state.waiting ? [...answerCommands(state), look] : [`ccw-loop watch ${id}`, look];
  }
}

function answerCommands(state: LoopState): string[] {
  if (state.waiting?.kind === "usage_limit") {
    const now = `ccw-loop resume ${state.loop_id} --now${agentFlag(state)}`;
    return [driveCommand(state), now];
  }
  const { about, options = [] } = state.waiting ?? {};
  // A text of one's own is typed behind the command: nobody pastes a placeholder.
  const ways = about === "tests" ? ["-", "--waive-tests -"] : options;
  const texts = ways.length > 0 ? ways : ["-"];
  return [
    ...texts.map((text) => `ccw-loop answer ${state.loop_id} ${text}`),
    `ccw-loop run --loop-id ${state.loop_id}${agentFlag(state)}`,
  ];
}

/** What brings the work of a completed loop home, from its git server or its worktree, and tidies up; empty for other loops. */
export function homeCommands(state: LoopState): string[] {
  const worktree = worktreeOf(state);
  const { repository } = state.settings ?? {};
  if (worktree === null || state.status !== "completed") return [];
  if (repository) return [`git fetch ${repository.url} ${worktree.branch}`];
  return [`git merge ${worktree.branch}`, "ccw-loop clean"];
}

/** Who drives a loop: a name, or `nobody since 2026-01-22T10:00:05Z (12m ago)` where somebody should. */
export function driverText({ driven_by, undriven_since }: Driver, now: Date): string {
  if (driven_by !== null) return driven_by;
  return undriven_since === null ? "nobody" : `nobody since ${sinceText(undriven_since, now)}`;
}

export function undrivenText(state: LoopOfAgent, since: string, now: Date): string {
  return `Nobody has driven loop ${state.loop_id} since ${sinceText(since, now)}. Drive it with: ${driveCommand(state)}`;
}

/** What of a state says by which command a loop is driven. */
type LoopOfAgent = Pick<LoopState, "loop_id" | "settings">;

export function driveCommand(state: LoopOfAgent): string {
  return `ccw-loop resume ${state.loop_id}${agentFlag(state)}`;
}

function sinceText(since: string, now: Date): string {
  return `${since.slice(0, 19)}Z (${timeSince(since, now)} ago)`;
}

export function worktreeOf({ workspace }: LoopState): { path: string; branch: string } | null {
  const { path, branch } = workspace ?? {};
  return path === undefined || branch === undefined ? null : { path, branch };
}

export function worktreeLines(state: LoopState): string[] {
  const worktree = worktreeOf(state);
  if (worktree === null) return [];
  const { repository } = state.settings ?? {};
  const { machine = "this machine" } = state.workspace ?? {};
  const from = repository ? [`on ${machine}, a clone of ${repository.url}`] : [];
  return [worktree.path, ...from, `branch ${worktree.branch}`];
}
