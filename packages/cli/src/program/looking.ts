import type { LoopStatus } from "@ccw-loop/core";
import type { Command } from "commander";
import type { CommandAction } from "./act.ts";
import { oneOf, wholeNumber, zeroOrMore } from "./options.ts";

/** Commands that read and change nothing. */
export function addReadCommands(program: Command, act: CommandAction): void {
  program
    .command("list")
    .description("loops of this project, newest change first")
    .addOption(
      oneOf<LoopStatus>("--status <status>", "only loops with this status", {
        created: true,
        running: true,
        paused: true,
        completed: true,
        failed: true,
        user_exit: true,
      }),
    )
    .option("--tag <tag>", "only loops with this tag")
    .option("--search <text>", "only loops with this text in id, title or description")
    .option("--limit <n>", "at most this many", wholeNumber, 50)
    .option("--offset <n>", "leave out this many", zeroOrMore, 0)
    .action(act(async () => (await import("../commands/list.ts")).list));

  program
    .command("show")
    .description("everything that matters about one loop")
    .argument("<id>", "loop")
    .option("--receipt", "the proof of its last test run")
    .action(act(async () => (await import("../commands/show.ts")).show));

  program
    .command("why")
    .description("what the loop would do next, and why")
    .argument("<id>", "loop")
    .action(act(async () => (await import("../commands/why.ts")).why));

  program
    .command("logs")
    .description("what the agent and the tests did and said")
    .argument("<id>", "loop")
    .option("-f, --follow", "go on as more arrives")
    .option("--raw", "print the records as lines of JSON")
    .action(act(async () => (await import("../commands/logs.ts")).logs));
}
