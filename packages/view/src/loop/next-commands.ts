import { type LoopState, reopenCommand } from "@ccw-loop/core";
import { driveCommand } from "./driver.ts";
import { worktreeOf } from "./worktree.ts";

/** Commands that make sense from here; `isUndriven`: nobody drives the loop although it is to be driven. */
export function nextCommands(state: LoopState, isUndriven = false): string[] {
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
      if (isUndriven) return [driveCommand(id), "ccw-loop supervise", look];
      return state.waiting ? [...answerCommands(state), look] : [`ccw-loop watch ${id}`, look];
  }
}

function answerCommands(state: LoopState): string[] {
  if (state.waiting?.kind === "usage_limit") {
    return [`ccw-loop resume ${state.loop_id}`, `ccw-loop resume ${state.loop_id} --now`];
  }
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
