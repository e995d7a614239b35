import { type LoopState, limitsOf } from "@ccw-loop/core";
import { durationFlag } from "../text/duration.ts";
import { worktreeOf } from "./worktree.ts";

/** Commands that make sense from here. */
export function nextCommands(state: LoopState): string[] {
  const id = state.loop_id;
  const look = `ccw-loop show ${id}`;
  switch (state.status) {
    case "completed":
      return [...mergeCommands(state), `ccw-loop show ${id} --receipt`, `ccw-loop logs ${id}`];
    case "failed":
      return [`ccw-loop why ${id}`, `ccw-loop logs ${id}`, reopenCommand(state)];
    case "paused":
      return [`ccw-loop resume ${id}`, look];
    case "created":
    case "user_exit":
      return [`ccw-loop run --loop-id ${id}`, look];
    case "running":
      return state.waiting ? [...answerCommands(state), look] : [`ccw-loop watch ${id}`, look];
  }
}

/** How an ended loop is taken up again: a limit that was reached has to be raised. */
export function reopenCommand(state: LoopState): string {
  const base = `ccw-loop resume ${state.loop_id} --reopen`;
  if (state.status === "completed") return `ccw-loop tasks add ${state.loop_id} "…" && ${base}`;
  const limits = limitsOf(state);
  switch (state.outcome?.code) {
    case "max_iterations":
      return `${base} --max-iterations ${state.max_iterations + 10}`;
    case "max_duration":
      return `${base} --max-duration ${durationFlag(limits.max_duration_ms * 2)}`;
    case "max_turns":
      return `${base} --max-turns ${limits.max_turns * 2}`;
    case "budget_exhausted":
      return `${base} --max-tokens ${limits.max_tokens * 2}`;
    default:
      return base;
  }
}

function answerCommands(state: LoopState): string[] {
  if (state.waiting?.kind === "usage_limit") return [`ccw-loop resume ${state.loop_id}`];
  const { about, options = [] } = state.waiting ?? {};
  const texts = about === undefined ? [`"${options.join("|") || "…"}"`] : options;
  return [
    ...texts.map((text) => `ccw-loop answer ${state.loop_id} ${text}`),
    `ccw-loop run --loop-id ${state.loop_id}`,
  ];
}

/** What brings the work of a worktree home, and tidies up. */
function mergeCommands(state: LoopState): string[] {
  const worktree = worktreeOf(state);
  return worktree === null ? [] : [`git merge ${worktree.branch}`, "ccw-loop clean"];
}
