import { Command } from "commander";
import { version } from "../own-package.ts";
import type { Io } from "../runtime/io.ts";
import { COMMANDS } from "./commands.ts";
import {
  addControlCommands,
  addHistoryCommands,
  addReadCommands,
  addStoreCommands,
  addToolCommands,
} from "./loop-commands.ts";
import { addPlace, type CommandAction, commandActions } from "./options.ts";
import { addServeCommand, addSupervisorCommands, addWorkCommands } from "./work-commands.ts";

/** What makes the commands of a heading, in the order of the help. */
const GROUPS = [
  ["Work:", addWorkCommands],
  ["Work on many:", addSupervisorCommands],
  ["Serve:", addServeCommand],
  ["Look:", addReadCommands],
  ["Prove, go back:", addHistoryCommands],
  ["Steer:", addControlCommands],
  ["Store:", addStoreCommands],
  ["Help:", addToolCommands],
] as const;

/**
 * The commands of `ccw-loop`; only the group of `first`, the first argument, when that names a command: making
 * all of them takes longer than reading a loop. Nothing here loads what a command needs to run.
 */
export function createProgram(
  io: Io,
  tellExit: (code: number) => void,
  first?: string | undefined,
): Command {
  const program = new Command("ccw-loop")
    .description("Drives one coding agent until the work is proven done.")
    .version(version(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .addHelpCommand(
      new Command("help")
        .argument("[command]")
        .description("print help for a command")
        .helpGroup("Help:"),
    )
    .option("--cwd <folder>", "work in this folder instead of the current one")
    .option("--json", "print one JSON document instead of text")
    .option("--no-color", "print without colors")
    .exitOverride()
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: () => undefined,
      getOutHelpWidth: () => io.stdout.columns ?? 80,
      getErrHelpWidth: () => io.stderr.columns ?? 80,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText("after", EXIT_CODES);
  addPlace(program);
  const act: CommandAction = commandActions(io, tellExit);
  const named = GROUPS.filter(
    ([heading]) => first !== undefined && Object.hasOwn(COMMANDS[heading], first),
  );
  for (const [heading, add] of named.length > 0 || first === "__complete" ? named : GROUPS) {
    add(program.commandsGroup(heading), act);
  }
  program
    .command("__complete", { hidden: true })
    .argument("[words...]")
    .action(
      act(async () => {
        const { complete } = await import("../commands/completion.ts");
        const all = createProgram(io, () => undefined);
        return (context, words: readonly string[]) => complete(context, words, all);
      }),
    );
  return program;
}

const EXIT_CODES = `
Exit codes: 0 completed and proven, 1 failed, 2 usage, 3 limit reached, 4 needs a person,
  5 agent or environment, 6 conflict, 7 not found, 75 waits for a usage limit, 130 interrupted
Data goes to stdout, everything else to stderr. Try it without an agent: ccw-loop demo`;
