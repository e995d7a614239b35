import type { Leftover } from "@ccw-loop/processes";
import { type Finding, formatDuration, note, ok } from "@ccw-loop/view";
import type { Context } from "../context.ts";

/** What runs here for loops and should not; `reap` has ended it. */
export interface LeftoverReport {
  found: Leftover[];
  reaped: boolean;
}

/** Throws `internal` for a process that cannot be ended. */
export async function findLeftovers({ parts }: Context, reap: boolean): Promise<LeftoverReport> {
  const processes = await parts.processes();
  return { found: reap ? await processes.sweep() : processes.leftovers(), reaped: reap };
}

export function leftoverFindings({ found, reaped }: LeftoverReport, now = Date.now()): Finding[] {
  if (found.length === 0) return [ok("processes", "Nothing was left running.")];
  return found.map((left) =>
    reaped
      ? ok("processes", `Ended ${described(left, now)}.`)
      : note(
          "processes",
          `Still running: ${described(left, now)}; ${WHY[left.reason]}.`,
          "End it with: ccw-loop doctor --reap",
        ),
  );
}

const WHY: Readonly<Record<Leftover["reason"], string>> = {
  owner_gone: "the ccw-loop that started it is gone",
  superseded: "another ccw-loop has taken the loop over",
};

function described({ command, pids, scope, started_at }: Leftover, now: number): string {
  const count = pids.length === 1 ? "1 process" : `${pids.length} processes`;
  const whose = scope ? ` of loop ${scope.loop}` : "";
  const age = started_at === null ? "" : ` for ${formatDuration(now - Date.parse(started_at))}`;
  return `${command} (${count}${whose}${age})`;
}
