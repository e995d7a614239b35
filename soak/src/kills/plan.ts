import { availableParallelism, loadavg } from "node:os";
import type { Random } from "../random.ts";
import { MARKS, type Mark } from "../workers/told.ts";

/** When a process is killed: so long after it began, or after it told for the nth time what it is about to do. */
export interface KillPlan {
  mark: Mark | null;
  nth: number;
  /** Milliseconds behind that moment. */
  after: number;
  /** Milliseconds that it is suspended at that moment, and lives on afterwards, before it is killed. */
  suspended: { sleeps: number; wakes: number } | null;
}

export type Role = "driver" | "writer";

/** A mark that never comes does not keep a process alive for longer, on a machine that has nothing else to do. */
const LONGEST_MS = 3000;

export function longestMs(): number {
  return LONGEST_MS * Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());
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
 * a lease is claimed, a turn begins, or a commit is written, linked, synced and published.
 */
export function planKill(role: Role, dice: Random, leaseTtlMs: number): KillPlan {
  const sleeps = role === "driver" && dice.below(4) === 0;
  const suspended = sleeps
    ? { sleeps: leaseTtlMs * dice.between(1.1, 2), wakes: dice.between(0, 300) }
    : null;
  const chances = MARKS.flatMap((mark) => Array<Mark>(SHARES[role][mark]).fill(mark));
  const mark = chances[dice.below(10)] ?? null;
  if (mark === null) return { mark, nth: 0, after: dice.between(0, 1000), suspended };
  const { nth, after } = REACH[role][mark];
  return { mark, nth: 1 + dice.below(nth), after: dice.between(0, after), suspended };
}
