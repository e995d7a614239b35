import { basename, dirname, join, resolve } from "node:path";
import { type Clock, isLoopError, type LoopStore, parseLoopId } from "@ccw-loop/core";
import { createHistory } from "./commit/history.ts";
import { eventsOf } from "./commit/replay.ts";
import { rememberedLoops, type StoreContext } from "./context.ts";
import { checkProject, failureOf } from "./folders.ts";
import type { Disk } from "./fs/disk.ts";
import { storeError } from "./fs/errors.ts";
import { type Durability, nodeDisk } from "./fs/node-disk.ts";
import { createLeases } from "./lease.ts";
import { loopIndex } from "./list/loop-index.ts";
import { folderWatch, watchLoops } from "./list/watch.ts";
import { followLog, logWriter } from "./log.ts";
import { createLoops } from "./loops.ts";
import { loopPaths, projectPaths } from "./paths.ts";
import { lateWriters } from "./publish/late-writers.ts";
import { progressFolder } from "./publish/progress-files.ts";
import { publish } from "./publish/publish.ts";
import { reconcile } from "./reconcile.ts";
import { recover } from "./repair/recover.ts";
import { nodeRuntime, type Runtime } from "./runtime.ts";

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

/** What the store stands on. */
export interface StoreDeps {
  /** The project's folder. */
  root: string;
  disk: Disk;
  now(): Date;
  /** Milliseconds that all processes of this machine count alike; they decide when leases expire. */
  ticks(): number;
  warn(id: string, message: string): void;
  /** The real one by default. */
  machine?: Runtime;
  /** How many revisions of a loop stay whole, 8 or more; 64 by default. */
  keep?: number;
}

export function createStore(ground: StoreDeps): LoopStore {
  const { root, disk, now, ticks, warn, machine = nodeRuntime, keep } = ground;
  const project = projectPaths(root);
  const open = rememberedLoops(project.loops);
  const history = createHistory(disk, machine, keep);
  const late = lateWriters(
    machine,
    (id, foreign) => loops.takeIn(id, foreign),
    (id) => disk.syncFile(pathsOf(id).document),
  );
  const context: StoreContext = { disk, machine, history, late, project, now, warn, open };
  const loops = createLoops(context);
  const leases = createLeases(context, ticks);
  const watch = folderWatch(disk, project.loops, machine);
  const index = loopIndex(context, watch);
  const pathsOf = (id: string) => loopPaths(project.loops, parseLoopId(id));
  const logOf = (id: string) => join(pathsOf(id).progress, "agent.log");
  const logs = logWriter(
    { disk, machine },
    (path) => progressFolder(context, dirname(path)),
    (path, error) => {
      const id = basename(dirname(path), ".progress");
      warn(id, `Lines of ${path} are lost: ${String(storeError(error, id))}`);
    },
  );

  return {
    create: async (state, options) => loops.create(state, options),
    read: loops.read,
    append: loops.append,
    operation: loops.operation,
    async list(query = {}) {
      checkProject(context);
      return index.list(query);
    },
    async *events(id, after = 0) {
      const { revision } = await loops.read(id);
      try {
        yield* eventsOf(context, open(id), revision, after);
      } catch (error) {
        throw failureOf(context, open(id), error);
      }
    },
    watch(id, signal) {
      if (id !== undefined) parseLoopId(id);
      return watchLoops(context, watch, id, signal);
    },
    claim: (id, owner, ttlMs) =>
      loops.useReconciled(id, ({ paths }) => leases.claim(paths, owner, ttlMs)),
    renew: (lease) => loops.use(lease.id, async ({ paths }) => leases.renew(paths, lease)),
    release: (lease) => loops.use(lease.id, async ({ paths }) => leases.release(paths, lease)),
    ownerOf: (id) =>
      loops.use(id, async (loop) => {
        await reconcile(context, loop).catch((error: unknown) => {
          // What cannot be read can still be driven by somebody, or by nobody and be removed.
          if (!isLoopError(error, "store_corrupt")) throw error;
        });
        return leases.ownerOf(loop.paths);
      }),
    leaseOf: (id) => loops.use(id, async ({ paths }) => leases.newest(paths)),
    async remove(id, options) {
      await logs.close(logOf(id));
      await loops.remove(id, options);
    },
    async appendLog(id, records) {
      await loops.read(id);
      await logs.append(logOf(id), records);
    },
    async *readLog(id, options) {
      await loops.read(id);
      await logs.flush(logOf(id));
      yield* followLog({ disk, machine }, logOf(id), options);
    },
    progressDir: (id) => pathsOf(id).progress,
    recover: (id, options) =>
      loops.useDamaged(id, async (loop) => {
        const recovery = await recover(context, loop, options);
        if (!options.dryRun) await publish(context, loop);
        return recovery;
      }),
    async close() {
      await logs.close();
      await loops.close();
      history.close();
      index.close();
      watch.close();
    },
  };
}
