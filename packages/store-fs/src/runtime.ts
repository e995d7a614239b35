import { watch } from "node:fs";
import { setTimeout as sleep, setImmediate as yieldToEventLoop } from "node:timers/promises";
import { mayLive, type ProcessIdentity, thisProcess } from "@ccw-loop/processes/identity";

/** A timer that has not fired yet. */
export interface Timer {
  cancel(): void;
  /** Whether the process stays alive for it; it does until told otherwise. */
  keepProcess(keep: boolean): void;
}

/**
 * What the store needs of the machine beside its disk: clocks, timers, notices, processes. The boundary at which tests and the
 * simulation bring a time of their own.
 */
export interface Runtime {
  /** Milliseconds since 1970, as the disk stamps its files. */
  wall(): number;
  /** Milliseconds that never go back; only differences mean something. */
  elapsed(): number;
  /** Milliseconds that all processes of this machine count alike, from one beginning: they decide when leases expire. */
  bootClockMs(): number;
  after(ms: number, act: () => void): Timer;
  every(ms: number, act: () => void): Timer;
  /** Never rejects; resolves early when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Lets timers, sockets and notices that are due have their turn. */
  yieldToEventLoop(): Promise<void>;
  /**
   * Tells of changed names in a folder, null for any; does not keep the process alive. Returns what ends it. Throws
   * when the folder cannot be watched; calls `lost` when that ends by itself.
   */
  notices(folder: string, tell: (name: string | null) => void, lost: () => void): () => void;
  self(): ProcessIdentity;
  /** Whether that process lives; also true when that cannot be told from here. */
  mayLive(other: ProcessIdentity, self: ProcessIdentity): boolean;
}

export const nodeRuntime: Runtime = {
  wall: () => Date.now(),
  elapsed: () => performance.now(),
  bootClockMs: () => Number(process.hrtime.bigint() / 1_000_000n),
  after(ms, act) {
    const timer = setTimeout(act, ms);
    return timerOf(timer, () => clearTimeout(timer));
  },
  every(ms, act) {
    const timer = setInterval(act, ms);
    return timerOf(timer, () => clearInterval(timer));
  },
  sleep: (ms, signal) => sleep(ms, undefined, signal ? { signal } : {}).catch(() => undefined),
  yieldToEventLoop: () => yieldToEventLoop(),
  notices(folder, tell, lost) {
    const watcher = watch(folder, { persistent: false }, (_, name) => tell(name));
    watcher.on("error", () => {
      watcher.close();
      lost();
    });
    return () => watcher.close();
  },
  self: thisProcess,
  mayLive,
};

function timerOf(timer: NodeJS.Timeout, cancel: () => void): Timer {
  return {
    cancel,
    keepProcess(keep) {
      if (keep) timer.ref();
      else timer.unref();
    },
  };
}

/** How long work may go on before everything else in this process gets its turn. */
const TURN_MS = 5;

/** For between pieces of work that never wait for a thread, and would starve timers and sockets: lets those have their turn now and then. */
export function yieldAfterLongWork({
  elapsed,
  yieldToEventLoop,
}: Pick<Runtime, "elapsed" | "yieldToEventLoop">): () => Promise<void> {
  let yieldedAt = elapsed();
  return async () => {
    if (elapsed() - yieldedAt < TURN_MS) return;
    await yieldToEventLoop();
    yieldedAt = elapsed();
  };
}
