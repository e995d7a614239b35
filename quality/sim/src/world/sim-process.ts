import type { Clock } from "@ccw-loop/core";
import type { FaultPlan } from "@ccw-loop/testkit";
import type { Runtime, Timer } from "../../../../packages/store-fs/src/runtime.ts";
import type { Runner, Scheduler } from "./scheduler.ts";

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

/** The virtual time as the code of one process sees it; without a process it is nobody's and never held. */
export function clockOf(scheduler: Scheduler, wall: () => number, runner: Runner | null): Clock {
  return {
    now: () => new Date(wall()),
    monotonic: () => scheduler.now,
    sleep: (ms, signal) => sleep(scheduler, runner, ms, signal),
  };
}

export function sleep(
  scheduler: Scheduler,
  runner: Runner | null,
  ms: number,
  signal?: AbortSignal,
): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = () => {
      cancel();
      resolve();
    };
    // No timer of Node is shorter.
    const cancel = scheduler.post(runner, Math.max(1, ms), () => {
      signal?.removeEventListener("abort", stop);
      resolve();
    });
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** What the store needs of a machine, for one process of the simulated one. */
export function machineOf(
  scheduler: Scheduler,
  process: SimProcess,
  world: {
    wall: () => number;
    bootClockMs: () => number;
    notices: (
      process: SimProcess,
      folder: string,
      tell: (name: string | null) => void,
    ) => () => void;
    lives: (pid: number, boot: number) => boolean;
  },
): Runtime {
  const timer = (cancel: () => void): Timer => ({ cancel, keepProcess: () => undefined });
  return {
    wall: world.wall,
    elapsed: () => scheduler.now,
    bootClockMs: world.bootClockMs,
    after: (ms, act) => timer(scheduler.post(process, ms, act)),
    every(ms, act) {
      let cancel = () => {};
      const again = () => {
        cancel = scheduler.post(process, ms, () => {
          again();
          act();
        });
      };
      again();
      return timer(() => cancel());
    },
    sleep: (ms, signal) => sleep(scheduler, process, ms, signal),
    yieldToEventLoop: () => scheduler.pass(process, 0),
    notices: (folder, tell) => world.notices(process, folder, tell),
    self: () => ({
      pid: process.pid,
      started: `${process.pid}`,
      boot: `boot-${process.boot}`,
      namespace: "sim",
    }),
    mayLive: (other) => world.lives(other.pid, Number(other.boot.slice("boot-".length))),
  };
}
