import { LoopError } from "@ccw-loop/core";

const FULL = /No space left on device|Disk quota exceeded/i;
const CLOSED = /insufficient permission|Permission denied|Read-only file system/i;

/** What a git command that failed means for the caller. */
export function failed(
  args: readonly string[],
  cwd: string,
  exitCode: number,
  stderr: string,
): LoopError {
  const details = { args: args.slice(0, 20), exit_code: exitCode, stderr: stderr.slice(0, 2000) };
  if (FULL.test(stderr)) {
    const message = `The disk of the repository at ${cwd} is full; nothing was kept. Free some space and try again.`;
    return new LoopError("store_unavailable", message, { details });
  }
  if (CLOSED.test(stderr)) {
    const message = `The repository at ${cwd} cannot be written; nothing was kept. Check the rights of its .git folder.`;
    return new LoopError("store_unavailable", message, { details });
  }
  const told = stderr.trim().split("\n").at(-1) ?? "";
  return new LoopError(
    "internal",
    `git ${args[0]} failed in ${cwd}: ${told || `exit ${exitCode}`}`,
    { details },
  );
}
