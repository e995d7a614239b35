import { processes } from "@ccw-loop/processes";
import quote from "shell-quote/quote.js";
import { runCommand } from "../process/run-command.ts";

type Env = Readonly<Record<string, string>>;

const PATIENCE_MS = 5000;
const GRACE_MS = 200;
const LENGTH = 64 * 1024;
/** They work for no loop, and are over in a moment. */
const UNREGISTERED = processes();

/** What a program prints to its standard output; null when it fails, hangs or cannot be started. */
export async function outputOfProgram(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Env,
): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    const end = await runCommand(quote([program, ...args]), {
      cwd,
      env,
      processes: UNREGISTERED,
      signal: new AbortController().signal,
      timeoutMs: PATIENCE_MS,
      graceMs: GRACE_MS,
      onStdout(chunk) {
        if (size < LENGTH) chunks.push(chunk);
        size += chunk.length;
      },
    });
    return end.exitCode === 0 ? Buffer.concat(chunks).toString() : null;
  } catch {
    return null;
  }
}
