import { availableParallelism, loadavg } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "@ccw-loop/testkit";
import { start, type Worker } from "../processes.ts";
import { MARKS, type Mark, type WorkerMessage } from "../workers/messages.ts";

/** When a process is killed: so long after it began, or after it said for the nth time what it is about to do. */
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
 * the first one is killed while its agent works and the second one is suspended, whatever the seed.
 */
export function planKill(role: Role, random: Random, number: number): KillPlan {
  const isDriver = role === "driver";
  const sleeps = isDriver && number !== 0 && (number === 1 || random.int(0, 4) === 0);
  const suspended = sleeps ? { sleeps: random.next() * 200, wakes: random.next() * 300 } : null;
  if (suspended || (isDriver && number === 0)) {
    const mark =
      suspended && number > 1 ? random.pick(["turn", "work", "commit"] as const) : "work";
    const after = random.next() * 20;
    return { mark, nth: 1, after, suspended, longest: PATIENT_MS, isAwaited: true };
  }
  const chances = MARKS.flatMap((mark) => Array<Mark>(SHARES[role][mark]).fill(mark));
  const mark = chances[random.int(0, 9)] ?? null;
  const usual = { mark, suspended, longest: onThisMachine(LONGEST_MS), isAwaited: false };
  if (mark === null) return { ...usual, nth: 0, after: random.next() * 1000 };
  const { nth, after } = REACH[role][mark];
  return { ...usual, nth: 1 + random.int(0, nth - 1), after: random.next() * after };
}

/** What became of a worker. */
interface WorkerOutcome {
  /** It was killed, and did not end by itself. */
  killed: boolean;
  /** While a commit of it was under way. */
  inCommit: boolean;
  /** It stood still until somebody else had a lease that it had before, and was woken then. */
  lostLease: boolean;
  /** What it wrote on stderr when it ended by itself. */
  complaint: string;
}

/** What the workers of one project share. */
export interface SharedLeases {
  /** Who was last given the lease of each loop: what to call when somebody else is given it. */
  holders: Map<string, () => void>;
  /** Resolves when the worker that stands still now wakes; who is to take over from it may not be killed before. */
  standing: Promise<void> | null;
}

/** On a machine with too much to do. */
const STARTS_WITHIN_MS = 20_000;

/** Starts a worker and kills it as planned; resolves when all of its messages were read. */
export async function runAndKill(
  worker: Worker,
  plan: KillPlan,
  leases: SharedLeases,
  onMessage: (message: WorkerMessage) => void,
): Promise<WorkerOutcome> {
  const due = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const lost = Promise.withResolvers<true>();
  const outcome: WorkerOutcome = {
    killed: false,
    inCommit: false,
    lostLease: false,
    complaint: "",
  };
  let [left, commits] = [plan.nth, 0];
  let isStill = false;
  const lose = () => {
    if (isStill) lost.resolve(true);
  };
  const { child, gone, complaint } = start(worker, (message) => {
    onMessage(message);
    if (message.kind === "settled") commits -= 1;
    if (message.kind === "lease") {
      const before = leases.holders.get(message.loop);
      leases.holders.set(message.loop, lose);
      if (before !== lose) before?.();
    }
    if (message.kind !== "mark") return;
    if (message.mark === "commit") commits += 1;
    begun.resolve();
    if (message.mark === plan.mark && --left === 0) due.resolve();
  });
  if (plan.mark === null) due.resolve();
  const over = new AbortController();
  void gone.then(() => over.abort());
  const wait = (ms: number) => delay(ms, undefined, { signal: over.signal }).catch(() => undefined);
  if (plan.mark !== null) await Promise.race([begun.promise, wait(STARTS_WITHIN_MS)]);
  await Promise.race([due.promise, wait(plan.longest)]);
  await wait(plan.after);
  // Two that stand still would wait for each other.
  if (plan.suspended && !leases.standing) {
    const wakes = Promise.withResolvers<void>();
    leases.standing = wakes.promise;
    isStill = child.kill("SIGSTOP");
    outcome.lostLease = (await Promise.race([lost.promise, wait(plan.longest)])) ?? false;
    await wait(plan.suspended.sleeps);
    child.kill("SIGCONT");
    isStill = false;
    leases.standing = null;
    wakes.resolve();
    await wait(plan.suspended.wakes);
  } else if (worker.role === "driver") await Promise.race([leases.standing, gone]);
  child.kill("SIGKILL");
  outcome.killed = (await gone).signal === "SIGKILL";
  outcome.inCommit = commits > 0;
  over.abort();
  return { ...outcome, complaint: outcome.killed ? "" : complaint() };
}
