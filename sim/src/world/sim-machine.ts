import type { Clock } from "../../../packages/core/src/index.ts";
import type { Runtime, Timer } from "../../../packages/store-fs/src/runtime.ts";
import type { Runner, Scheduler } from "./scheduler.ts";
import type { SimProcess } from "./sim-process.ts";

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
    const cancel = scheduler.post(runner, ms, () => {
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
    ticks: () => number;
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
    ticks: world.ticks,
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
    turn: () => scheduler.pass(process, 0),
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
