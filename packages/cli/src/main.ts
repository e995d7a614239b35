import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { version } from "./own-package.ts";
import type { Io } from "./runtime/io.ts";

declare global {
  /** The help of the whole program, 80 columns wide: put in by the build. */
  var CCW_LOOP_HELP: string | undefined;
}

/**
 * One whole run of `ccw-loop`: arguments in, output on the streams of `io`, exit code out.
 * Never throws. Whatever is not needed to answer is not loaded.
 */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const answer = quickAnswer(argv);
  if (answer !== undefined) {
    io.stdout.write(answer);
    return 0;
  }
  try {
    const { execute } = await import("./execute.ts");
    return await execute(argv, io);
  } catch (error) {
    // A part of the program cannot be loaded.
    const reason = error instanceof Error ? error.message : String(error);
    io.stderr.write(`ccw-loop: Cannot start: ${reason}\n${nextStep(reason)}\n`);
    return 5;
  }
}

function nextStep(reason: string): string {
  if (/too many open files/i.test(reason)) {
    return "Raise the limit of open files (ulimit -n), then try again.";
  }
  const installer = fileURLToPath(new URL("../../../scripts/x.mjs", import.meta.url));
  return existsSync(installer)
    ? `The packages of this checkout are not installed. This installs them first: node ${installer} cli ARGS`
    : "The installation is damaged. Install it again.";
}

/** What needs no argument parser: at start-up every module costs. */
function quickAnswer(argv: readonly string[]): string | undefined {
  if (argv.length !== 1) return undefined;
  if (argv[0] === "--version" || argv[0] === "-V") return `${version()}\n`;
  if (argv[0] === "--help" || argv[0] === "-h") return globalThis.CCW_LOOP_HELP;
  return undefined;
}
