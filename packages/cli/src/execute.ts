import { type Command, CommanderError } from "commander";
import { commandsThat } from "./program/commands.ts";
import { createProgram } from "./program/program.ts";
import type { Io } from "./runtime/io.ts";

/** Parses the arguments, runs the command and answers with its exit code. The one place that catches. */
export async function execute(argv: readonly string[], io: Io): Promise<number> {
  skipSchemaCompilation(argv[0]);
  let exit = 0;
  const tellExit = (code: number) => {
    exit = code;
  };
  const program = createProgram(io, tellExit, argv[0]);
  if (asksForHelp(argv)) {
    const [{ addExamples }, { commandHints }] = await Promise.all([
      import("./program/examples.ts"),
      import("./runtime/hints.ts"),
    ]);
    addExamples(program, commandHints(io, {}));
  }
  try {
    requireKnownHelp(program, argv);
    await program.parseAsync([...argv], { from: "user" });
    return exit;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const { reportFailure } = await import("./runtime/failure.ts");
    return reportFailure(error, { argv, program, io });
  }
}

/** Help for what is no command would be the help of everything, as if it were right. */
function requireKnownHelp(program: Command, [first, asked]: readonly string[]): void {
  if (first !== "help" || asked === undefined || asked.startsWith("-")) return;
  const names = program.commands.flatMap((one) => [one.name(), ...one.aliases()]);
  if (names.includes(asked) || asked === "help") return;
  throw new CommanderError(2, "commander.unknownCommand", `error: unknown command '${asked}'`);
}

const asksForHelp = ([first, ...rest]: readonly string[]) =>
  first === "help" || rest.includes("--help") || rest.includes("-h");

/**
 * For a command that is brief, making a schema fast costs more than it saves. Tells zod before it is loaded that this process
 * ends soon (`z.config({ jitless: true })` would come too late for the schemas of core): about a sixth of the time of
 * `list --json`, measured by the benchmark cli/start-up.
 */
export function skipSchemaCompilation(command: string | undefined): void {
  if (command === undefined || !commandsThat("brief").has(command)) return;
  const place = globalThis as { __zod_globalConfig?: { jitless?: boolean } };
  place.__zod_globalConfig = { ...place.__zod_globalConfig, jitless: true };
}
