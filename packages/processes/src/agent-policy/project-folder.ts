import { realpath, stat } from "node:fs/promises";
import { LoopError } from "@ccw-loop/core";

/**
 * The folder that an agent is to work in, absolute and without links. Throws `agent_unavailable` where there is none: an
 * agent itself may take a folder that does not exist.
 */
export async function projectFolder(cwd: string): Promise<string> {
  const found = await stat(cwd).catch(() => undefined);
  if (found?.isDirectory()) return realpath(cwd);
  throw new LoopError(
    "agent_unavailable",
    `The folder ${cwd} does not exist. Name the project's folder.`,
  );
}
