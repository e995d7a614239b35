import type { Command } from "commander";
import type { CommandAction } from "./act.ts";
import { notEmpty, zeroOrMore } from "./options.ts";

const VERIFY_EXITS = `
Exit codes: 0 it stands, 1 it does not (edited, other files, other results), 2 it cannot be told here (the start is not in
  the repository, the tests cannot be run)`;

/** Commands about the proof of a loop, and about the files as they were behind each action. */
export function addHistoryCommands(program: Command, act: CommandAction): void {
  const about = (name: string, description: string) =>
    program.command(name).description(description).argument("<id>", "loop");

  about(
    "receipt",
    "print the newest receipt, sealed, as a file that verify reads elsewhere",
  ).action(act(async () => (await import("../commands/receipt.ts")).receipt));
  program
    .command("verify")
    .description("run the square again in clean rooms, and say whether the proof stands")
    .argument("<receipt>", "loop, or a file that `ccw-loop receipt` wrote")
    .option("--repo <folder>", "check the files of this repository instead of those here", notEmpty)
    .option(
      "--command <command>",
      "run this; else the command of the baseline, for a file the one that is found in the start's files",
      notEmpty,
    )
    .option("--key <file>", "the key it was sealed with, where it is not your own", notEmpty)
    .addHelpText("after", VERIFY_EXITS)
    .action(act(async () => (await import("../commands/verify.ts")).verify));
  about("timeline", "every action: what it changed, what the tests said, what it used").action(
    act(async () => (await import("../commands/timeline.ts")).timeline),
  );
  about("diff", "what changed between two checkpoints, as a patch")
    .argument(
      "[range]",
      "A..B, A.. (or just A) or ..B: numbers of checkpoints; everything when not given",
    )
    .option("--stat", "only the files")
    .action(act(async () => (await import("../commands/diff.ts")).diff));
  about("rewind", "take files and loop back to a checkpoint")
    .argument("<n>", "number of the checkpoint", zeroOrMore)
    .option("--force", "also over changes that the loop did not make; they are kept aside")
    .action(act(async () => (await import("../commands/checkpoints.ts")).rewind));
  about("fork", "begin a new loop at a checkpoint, in a worktree of its own")
    .argument("<n>", "number of the checkpoint", zeroOrMore)
    .option("--loop-id <id>", "id of the new loop; made up when not given")
    .option("--title <text>", "title of the new loop", notEmpty)
    .action(act(async () => (await import("../commands/checkpoints.ts")).fork));
  program
    .command("clean")
    .description("remove the worktrees of loops that have ended")
    .option("--dry-run", "only say what would be removed")
    .option("--force", "also where files lie that no branch has")
    .action(act(async () => (await import("../commands/clean.ts")).clean));
}
