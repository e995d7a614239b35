import { resolve } from "node:path";
import type { Clock, LoopStore } from "@ccw-loop/core";
import { type Durability, nodeDisk } from "./disk/node-disk.ts";
import { createStore } from "./store-on.ts";

export interface FsStoreOptions {
  /** The project's folder; loops are kept in `.workflow/.loop` below it. */
  root: string;
  /** Tells the time that is written into files. Leases expire by the machine's own clock. */
  clock?: Pick<Clock, "now">;
  /** What an acknowledged commit survives; `power` by default. */
  durability?: Durability;
  /** Told in a sentence what was repaired, kept aside or could not be published. */
  onWarning?: (warning: { id: string; message: string }) => void;
}

/** The embedded `LoopStore`: plain files that other programs may read and write. Opens and starts nothing. */
export function fsStore({
  root,
  clock = { now: () => new Date() },
  durability = "power",
  onWarning = () => {},
}: FsStoreOptions): LoopStore {
  return createStore({
    root: resolve(root),
    disk: nodeDisk(durability),
    now: () => clock.now(),
    ticks: machineTicks,
    warn: (id, message) => onWarning({ id, message }),
  });
}

/** The machine's monotonic clock; unlike `performance.now()` it has one beginning for all processes. */
function machineTicks(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
