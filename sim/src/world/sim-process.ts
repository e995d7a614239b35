import type { FaultPlan } from "../../../packages/testkit/src/index.ts";
import type { Runner } from "./scheduler.ts";

/** A commit that a process asked its store for and got no answer yet. */
export interface CommitUnderWay {
  loop: string;
  epoch: number | undefined;
  /** The newest epoch of the loop when it was asked for, later when it got its number. */
  newestEpoch: number;
  hasNumber: boolean;
}

/** One process of the simulated machine. */
export class SimProcess implements Runner {
  alive = true;
  suspended = false;
  held: (() => void)[] = [];
  /** Its commits that are under way. */
  readonly commits = new Set<CommitUnderWay>();
  /** After so many changing calls to the disk it dies; null for never. */
  callsToLive: number | null = null;
  /** How its calls to the disk fail now. */
  faults: FaultPlan = { changing: 0, reading: 0 };
  /** Told to end in good order. */
  readonly terminated = new AbortController();
  /** The last moments at which it was woken, its disk failed, and it began to look at the project's files. */
  wokenAt = 0;
  failedAt = -1e9;
  measuredAt = 0;
  /** Nothing ever happened to it that can cost it what it knows. */
  isReliable = true;
  /** Done when it dies before its end. */
  whenDead: () => void = () => undefined;
  readonly name: string;
  readonly pid: number;
  readonly boot: number;

  constructor(name: string, pid: number, boot: number) {
    this.name = name;
    this.pid = pid;
    this.boot = boot;
  }

  /** It drives loops. */
  get drives(): boolean {
    return /^(run|supervisor)/.test(this.name);
  }

  /** Neither dead nor standing still. */
  get runs(): boolean {
    return this.alive && !this.suspended;
  }
}

/** What the code of a dead process gets from its disk. */
export class Died extends Error {}
