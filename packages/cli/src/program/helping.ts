import type { Command } from "commander";
import { Argument } from "commander";
import type { CommandAction } from "./act.ts";
import { addSettings } from "./options.ts";

/** Commands about the tool itself. */
export function addToolCommands(program: Command, act: CommandAction): void {
  program
    .command("doctor")
    .description("check what a loop needs here, and say how to get it")
    .option("--reap", "end processes that loops have left running")
    .action(act(async () => (await import("../commands/doctor.ts")).doctor));

  const config = program.command("config").description("settings");
  addSettings(
    config.command("show").description("every setting with its value and where it comes from"),
  ).action(act(async () => (await import("../commands/config.ts")).show));

  program
    .command("completion")
    .description("print a script that completes commands, options and loops")
    .addArgument(new Argument("<shell>", "shell").choices(["bash", "zsh", "fish"]))
    .action(act(async () => (await import("../commands/completion.ts")).completion));

  program
    .command("__complete", { hidden: true })
    .argument("[words...]")
    .action(act(async () => (await import("../commands/complete.ts")).complete));
}
