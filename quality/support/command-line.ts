import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";

/** The program of the command line, built or from the sources. */
export const CLI = join(import.meta.dirname, "../../packages/cli/bin/ccw-loop.js");

/** How a call of the command line ended. */
export interface Ended {
  exit: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** Calls the real command line, built or from the sources, in a process of its own; one that takes longer is ended. */
export async function commandLine(
  args: readonly string[],
  { cwd, env, longestMs }: { cwd: string; env: NodeJS.ProcessEnv; longestMs: number },
): Promise<Ended> {
  const child = spawn(process.execPath, [CLI, ...args], {
    ...{ cwd, env, timeout: longestMs },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const end = once(child, "exit");
  // An interrupted program leaves no loop running.
  const stop = () => child.kill();
  process.once("exit", stop);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [exit, signal] = (await end) as [number | null, NodeJS.Signals | null];
  process.off("exit", stop);
  return { exit, signal, stdout, stderr };
}

/** The document that `--json` printed; undefined where there is none. */
export function jsonOf(stdout: string): unknown {
  try {
    return JSON.parse(stdout);
  } catch {
    return undefined;
  }
}
