import type { AgentLog } from "@ccw-loop/view";
import { type Line, line, textOf } from "../components/line.ts";
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

/** How long something takes or how long ago it was; that changes by itself and is no news. */
const SINCE = /\b(changed|goes on in|runs for|\(in) \d+(?:\.\d+)?(?:ms|[smhd])(?: \d+[smhd])*/g;

/** The lines that say something that was not told before. */
export function changedLines(lines: readonly Line[], told: readonly Line[]): Line[] {
  const known = new Set(told.map(withoutDurations).flatMap(unmarked));
  return lines.filter((of) => !known.has(withoutDurations(of)));
}

function withoutDurations(of: Line): string {
  return textOf(of).replaceAll(SINCE, "$1");
}

/** What was told as the selected line is known as any line of its list, too. */
function unmarked(text: string): string[] {
  return text.startsWith("> ") ? [text, `- ${text.slice(2)}`] : [text];
}
