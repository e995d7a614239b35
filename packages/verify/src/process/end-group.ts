import { setTimeout as delay } from "node:timers/promises";
import type { Relatives } from "./relatives.ts";

const LOOK_MS = 20;
/** How long KILL may take; only a process inside a hanging system call needs longer. */
const KILL_WAIT_MS = 5000;

/**
 * Ends every process of a run: TERM, `graceMs` of patience, KILL; looks until all are gone. Answers with the
 * pids that could not be ended.
 */
export async function endGroup(
  group: number,
  relatives: Relatives,
  graceMs: number,
): Promise<number[]> {
  const end = async (signal: "SIGTERM" | "SIGKILL", patienceMs: number) => {
    const until = performance.now() + patienceMs;
    let alive = relatives.living();
    const told = new Set<number>();
    while (alive.length > 0) {
      // Whoever appears late is told as well.
      const untold = alive.filter((pid) => !told.has(pid));
      for (const pid of untold) told.add(pid);
      if (untold.length > 0) send(signal, group, untold);
      if (performance.now() >= until) break;
      await delay(LOOK_MS);
      alive = relatives.living();
    }
    return alive;
  };
  const left = await end("SIGTERM", graceMs);
  return left.length === 0 ? [] : end("SIGKILL", KILL_WAIT_MS);
}

/** Signals the group at once, then those outside it. */
function send(signal: "SIGTERM" | "SIGKILL", group: number, pids: readonly number[]): void {
  for (const target of [-group, ...pids.filter((pid) => pid !== group)]) {
    try {
      process.kill(target, signal);
    } catch {
      // Gone already.
    }
  }
}
