import { CommanderError } from "commander";
import { skipSchemaCompilation } from "./brief.ts";
import type { Io } from "./io.ts";
import { createProgram } from "./program/program.ts";

/** Parses the arguments, runs the command and answers with its exit code. The one place that catches. */
export async function execute(argv: readonly string[], io: Io): Promise<number> {
  skipSchemaCompilation(argv[0]);
  let exit = 0;
  const tellExit = (code: number) => {
    exit = code;
  };
  const program = createProgram(io, tellExit, argv[0]);
  try {
    await program.parseAsync([...argv], { from: "user" });
    return exit;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const { reportFailure } = await import("./failure.ts");
    return reportFailure(error, { argv, program, io });
  }
}
