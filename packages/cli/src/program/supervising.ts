import type { Command } from "commander";
import type { CommandAction } from "./act.ts";
import { addEvents, addLoopFlags, notEmpty, wholeNumber } from "./options.ts";

/** Loops that are driven together, by a process that stays. */
export function addSupervisorCommands(program: Command, act: CommandAction): void {
  const start = program
    .command("start")
    .description("start a loop for a task and leave it to a supervisor")
    .argument("<task>", "what is to be done", notEmpty)
    .option("--loop-id <id>", "id of the new loop; made up when not given")
    .option("--worktree", "give the new loop a worktree and a branch of its own");
  addLoopFlags(start).action(act(async () => (await import("../commands/start.ts")).start));

  addEvents(
    program
      .command("supervise")
      .description("drive every running loop of the project until Ctrl-C; they stay running then")
      .option("--concurrency <n>", "loops to drive at once (default: 4)", wholeNumber),
  ).action(act(async () => (await import("../commands/supervise.ts")).supervise));
}
