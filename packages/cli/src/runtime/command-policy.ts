import { DEFAULT_PROTECT, decideCommand } from "@ccw-loop/processes/agent-policy";
import { realPath } from "@ccw-loop/processes/plain-file";

/** Why the stated policy declines a command of an agent that no sandbox holds, in that folder; null where it accepts it. */
export function commandProblem(command: string, folder: string): string | null {
  const cwd = realPath(folder);
  const rules = { cwd, protect: DEFAULT_PROTECT, confined: false };
  const { decision, because } = decideCommand(command, cwd, rules);
  return decision === "accept" ? null : because;
}
