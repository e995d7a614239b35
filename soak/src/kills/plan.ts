import { availableParallelism, loadavg } from "node:os";
import type { Random } from "../random.ts";
import { MARKS, type Mark } from "../workers/told.ts";

/** When a process is killed: so long after it began, or after it told for the nth time what it is about to do. */
export interface KillPlan {
  mark: Mark | null;
  nth: number;
  /** Milliseconds that the mark is waited for; then the process is killed without it. */
  longest: number;
  /** The run has to see it come true. */
  isAwaited: boolean;
  /** Milliseconds behind that moment. */
  after: number;
  /**
   * It is suspended at that moment, until somebody else has the lease of a loop that it drives and for so many ms more;
   * then it wakes, and lives on for so many ms before it is killed.
   */
  suspended: { sleeps: number; wakes: number } | null;
}

export type Role = "driver" | "writer";

/** A mark that never comes does not keep a process alive for longer, on a machine that has nothing else to do. */
const LONGEST_MS = 3000;
/** The same for what a run has to see. */
const PATIENT_MS = 60_000;

function onThisMachine(ms: number): number {
  return ms * Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());
}

/** Of ten kills, how many follow which mark; the others come at any time after the process was started. */
const SHARES: Record<Role, Record<Mark, number>> = {
  driver: { start: 1, claim: 1, commit: 2, turn: 1, work: 4 },
  writer: { start: 1, claim: 0, commit: 7, turn: 0, work: 0 },
};
/** The last occurrence of a mark that is waited for, and the milliseconds after it within which the kill comes. */
const REACH: Record<Role, Record<Mark, { nth: number; after: number }>> = {
  driver: {
    start: { nth: 1, after: 300 },
    claim: { nth: 4, after: 8 },
    commit: { nth: 40, after: 8 },
    turn: { nth: 4, after: 50 },
    work: { nth: 4, after: 80 },
  },
  writer: {
    start: { nth: 1, after: 300 },
    claim: { nth: 1, after: 0 },
    commit: { nth: 12, after: 8 },
    turn: { nth: 1, after: 0 },
    work: { nth: 1, after: 0 },
  },
};

/**
 * Spreads the instants over a process's life: its start, what it does as time goes, and the few milliseconds in which
 * a lease is claimed, a turn begins, or a commit is written, linked, synced and published. Of the drivers of a project,
 * the first one is killed while its agent works and the second one is suspended, whatever the dice say.
 */
export function planKill(role: Role, dice: Random, number: number): KillPlan {
  const isDriver = role === "driver";
  const sleeps = isDriver && number !== 0 && (number === 1 || dice.below(5) === 0);
  const suspended = sleeps ? { sleeps: dice.between(0, 200), wakes: dice.between(0, 300) } : null;
  if (suspended || (isDriver && number === 0)) {
    const mark = suspended && number > 1 ? dice.pick(["turn", "work", "commit"] as const) : "work";
    const after = dice.between(0, 20);
    return { mark, nth: 1, after, suspended, longest: PATIENT_MS, isAwaited: true };
  }
  const chances = MARKS.flatMap((mark) => Array<Mark>(SHARES[role][mark]).fill(mark));
  const mark = chances[dice.below(10)] ?? null;
  const usual = { mark, suspended, longest: onThisMachine(LONGEST_MS), isAwaited: false };
  if (mark === null) return { ...usual, nth: 0, after: dice.between(0, 1000) };
  const { nth, after } = REACH[role][mark];
  return { ...usual, nth: 1 + dice.below(nth), after: dice.between(0, after) };
}
