import { execFile } from "node:child_process";
import { join } from "node:path";

const sources = join(import.meta.dirname, "../..");
/** The built copy of the whole test run; without one, the sources. */
export const BUILT = process.env.CCW_LOOP_BUILT ?? sources;

/** The launchers, as programs start them. */
export const BIN = join(BUILT, "bin/ccw-loop.js");
export const TUI_BIN = join(BUILT, "bin/ccw-loop-tui.js");
export const SOURCE_BIN = join(sources, "bin/ccw-loop.js");

/** What a whole run came to. */
export interface Ran {
  code: number;
  out: string;
  err: string;
}

/** Runs the built command line in a process of its own, to its end. */
export function builtCli(cwd: string, env: NodeJS.ProcessEnv, ...args: string[]): Promise<Ran> {
  const options = { cwd, env: { ...process.env, NO_COLOR: "1", ...env } };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [BIN, ...args], options, (_, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}
