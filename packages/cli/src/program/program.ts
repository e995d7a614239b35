import { Command } from "commander";
import type { Io } from "../io.ts";
import { version } from "../own-package.ts";
import { type Act, actsIn } from "./act.ts";
import { addDriving } from "./driving.ts";
import { addHelping } from "./helping.ts";
import { addLooking } from "./looking.ts";
import { addSteering } from "./steering.ts";

/** All commands of `ccw-loop`. Nothing here loads what a command needs to run. */
export function createProgram(io: Io, tellExit: (code: number) => void): Command {
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
  const act: Act = actsIn(io, tellExit);
  addDriving(program.commandsGroup("Work:"), act);
  addLooking(program.commandsGroup("Look:"), act);
  addSteering(program.commandsGroup("Steer:"), act);
  addHelping(program.commandsGroup("Help:"), act);
  return program;
}

const EXIT_CODES = `
Exit codes: 0 completed and proven, 1 failed, 2 usage, 3 limit reached, 4 needs a person,
  5 agent or environment, 6 conflict, 7 not found, 75 waits for a usage limit, 130 interrupted
Data goes to stdout, everything else to stderr. Try it without an agent: ccw-loop demo`;
