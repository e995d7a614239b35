import { setTimeout as delay } from "node:timers/promises";

/** What one look at the machine found. */
export interface ProcessSnapshot {
  living: number[];
  /** Groups all of whose processes are ours. */
  groups: number[];
  /** Somebody is just being started, and may turn out to be one of them. */
  starting: boolean;
}

export interface EndOptions {
  /** Between TERM and KILL; 0 kills at once. */
  graceMs: number;
}

const LOOK_AGAIN_MS = 4;
/** After this it is looked less often: they take their time. */
const HURRY_MS = 150;
const LOOK_LATER_MS = 20;
/** How long KILL may take; only a process inside a hanging system call needs longer. */
const KILL_WAIT_MS = 5000;
/** Nobody takes so long to be started. */
const STARTING_MS = 1000;

/**
 * Ends everything that `look` finds: TERM, the grace, KILL, until two looks in a row find nothing. Whoever appears
 * late is told as well. Answers the pids that could not be ended. A look that fails is tried again, and thrown when it
 * still fails in the end.
 */
export async function terminateAll(
  look: () => ProcessSnapshot,
  { graceMs }: EndOptions,
): Promise<number[]> {
  const began = performance.now();
  const signalled = new Set<number>();
  for (let empty = 0; ; ) {
    const elapsed = performance.now() - began;
    let found: ProcessSnapshot;
    try {
      found = look();
    } catch (error) {
      if (elapsed > graceMs + KILL_WAIT_MS) throw error;
      empty = 0;
      await delay(LOOK_LATER_MS);
      continue;
    }
    const { living, groups, starting } = found;
    const waits = starting && elapsed < STARTING_MS;
    empty = living.length === 0 && !waits ? empty + 1 : 0;
    if (empty === 2) return [];
    if (elapsed > graceMs + KILL_WAIT_MS) return living;
    if (elapsed >= graceMs) {
      for (const group of groups) signal(-group, "SIGKILL");
      for (const pid of living) signal(pid, "SIGKILL");
    } else {
      const notSignalled = living.filter((pid) => !signalled.has(pid));
      for (const pid of notSignalled) {
        signalled.add(pid);
        signal(pid, "SIGTERM");
      }
    }
    await delay(elapsed < HURRY_MS ? LOOK_AGAIN_MS : LOOK_LATER_MS);
  }
}

/** False when it is gone already, or is not ours to signal. */
export function signal(target: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(target, name);
    return true;
  } catch {
    return false;
  }
}
