import { type Command, Option } from "commander";
import type { CommandAction } from "./act.ts";
import { addEvents, addLoopFlags, notEmpty } from "./options.ts";

/** Commands that do work in this terminal. */
export function addWorkCommands(program: Command, act: CommandAction): void {
  const run = program
    .command("run")
    .description("start a loop for a task, or go on with one, and drive it to its end")
    .argument("[task]", "what is to be done", notEmpty)
    .option("--loop-id <id>", "go on with this loop")
    .option("--create", "with --loop-id: make the loop when there is none")
    .option("--worktree", "give the new loop a worktree and a branch of its own")
    .option("--no-wait", "leave with exit code 75 instead of waiting for a usage limit");
  addEvents(addLoopFlags(run)).action(act(async () => (await import("../commands/run.ts")).run));

  const resume = program
    .command("resume")
    .description("go on with a paused loop and drive it here")
    .argument("<id>", "loop")
    .option("--reopen", "also take up a loop that has ended")
    .option("--now", "try a usage limit at once instead of waiting for its end")
    .option("--no-wait", "leave with exit code 75 instead of waiting for a usage limit")
    .option("--no-run", "only say so; another process drives it");
  addEvents(addLoopFlags(resume)).action(
    act(async () => (await import("../commands/resume.ts")).resume),
  );

  addEvents(
    program
      .command("watch")
      .description("follow a loop that is driven elsewhere until it ends")
      .argument("<id>", "loop")
      .option("--no-wait", "leave when it waits or is paused, or when nobody drives it"),
  ).action(act(async () => (await import("../commands/watch.ts")).watch));

  program
    .command("tui")
    .description("watch and steer all loops on one screen")
    .option("--plain", "lines for a screen reader instead of frames")
    .addOption(
      new Option("--theme <theme>", "colors for a dark or a light terminal").choices([
        "dark",
        "light",
      ]),
    )
    .action(act(async () => (await import("../commands/tui.ts")).tui));

  program
    .command("demo")
    .description("see a whole loop in a temporary project, with a scripted agent")
    .action(act(async () => (await import("../commands/demo.ts")).demo));
}
