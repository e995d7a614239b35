import { type Line, line } from "../frame/line.ts";
import type { AgentLog } from "../model/agent-log.ts";
import { readOut } from "../screens/loop/panes/agent.ts";

/** What was told of an agent's output: everything before the line with the number `next`. */
export interface SpokenLog {
  next: number;
  /** The last of it, as it was told. */
  lines: readonly Line[];
}

export const nothingSpoken: SpokenLog = { next: 0, lines: [] };

/** As somebody has heard it to whom the end of the output was read out. */
export function spokenUpTo(log: AgentLog): SpokenLog {
  return { next: endOf(log), lines: readOut(log.lines) };
}

/** The lines that ended since, and how many more there were than anybody can listen to. */
export function unspokenLines(log: AgentLog, { next }: SpokenLog): Line[] {
  const fresh = Math.max(0, endOf(log) - next);
  if (fresh === 0) return [];
  const told = readOut(ended(log).slice(-fresh));
  const skipped = fresh - told.length;
  const note = `… ${skipped} lines of the agent are left out here; its log has them`;
  return [...(skipped > 0 ? [line(note, "warning")] : []), ...told];
}

/** The number of the line behind the last one that ended. */
function endOf(log: AgentLog): number {
  return log.dropped + ended(log).length;
}

function ended({ lines, open }: AgentLog): AgentLog["lines"] {
  return open ? lines.slice(0, -1) : lines;
}
