import { basename, dirname, join, resolve } from "node:path";
import {
  isLoopError,
  LoopError,
  type LoopStore,
  orOn,
  parseLoopId,
  revisionConflict,
  type StoredLoop,
  tryParseJson,
} from "@ccw-loop/core";
import { commit, requireEpoch } from "./commit/append.ts";
import { type StoredCommit, WHOLE_BELOW, withoutEtag } from "./commit/commit-form.ts";
import { eventsOf, stateAt } from "./commit/fold-journal.ts";
import { refresh, syncHistory } from "./commit/head.ts";
import { createHistory } from "./commit/history.ts";
import { findOp } from "./commit/ops.ts";
import { type OpenLoop, rememberedLoops, type StoreContext } from "./context.ts";
import {
  type ExternalDocument,
  importExternalEdit,
  isPublishedByUs,
} from "./external-edits/import-document.ts";
import type { Disk } from "./fs/disk.ts";
import { storeError } from "./fs/errors.ts";
import { type Durability, nodeDisk } from "./fs/node-disk.ts";
import { createLeases } from "./lease.ts";
import { loopIndex } from "./list/loop-index.ts";
import { folderWatch, watchLoops } from "./list/watch.ts";
import { followLog, logWriter } from "./log.ts";
import { loopQueue } from "./loop-queue.ts";
import { loopPaths, projectPaths } from "./paths.ts";
import { lateWriters } from "./publish/late-writers.ts";
import { progressFolder } from "./publish/progress-files.ts";
import { publish } from "./publish/publish.ts";
import { publishSchedule } from "./publish/schedule.ts";
import { isReconciled, reconcile } from "./reconcile.ts";
import { clearLeftovers, clearRemoved, decideRemoval } from "./remove.ts";
import { recover } from "./repair/recover.ts";
import { restore } from "./restore-loop.ts";
import { nodeRuntime, type Runtime } from "./runtime.ts";
import { checkProject, failureOf, makeHistory, makeProject } from "./safe-folders.ts";

export interface FsStoreOptions {
  /** The project's folder; loops are kept in `.workflow/.loop` below it. */
  root: string;
  /** What an acknowledged commit survives; `power` by default. */
  durability?: Durability;
  /** Told in a sentence what was repaired, kept aside or could not be published. */
  onWarning?: (warning: { id: string; message: string }) => void;
}

/** The embedded `LoopStore`: plain files that other programs may read and write. Opens and starts nothing. */
export function fsStore({
  root,
  durability = "power",
  onWarning = () => {},
}: FsStoreOptions): LoopStore {
  return createStore({
    root: resolve(root),
    disk: nodeDisk(durability),
    warn: (id, message) => onWarning({ id, message }),
  });
}

/** What the store stands on. */
export interface StoreDeps {
  /** The project's folder. */
  root: string;
  disk: Disk;
  warn(id: string, message: string): void;
  /** What is not the real one's. */
  runtime?: Partial<Runtime>;
  /** How many revisions of a loop stay, 8 or more; 64 by default. */
  keep?: number;
  /** Behind a commit with fewer characters, commits hold the whole state; 32,768 by default. */
  wholeBelow?: number;
}

export function createStore({
  root,
  disk,
  warn,
  keep,
  wholeBelow,
  ...given
}: StoreDeps): LoopStore {
  const runtime = { ...nodeRuntime, ...given.runtime };
  const now = () => new Date(runtime.wall());
  const project = projectPaths(root);
  const open = rememberedLoops(project.loops);
  const history = createHistory(disk, runtime, keep);
  const late = lateWriters(runtime, importLate, (id) => disk.syncFile(pathsOf(id).document));
  const context: StoreContext = {
    ...{ disk, runtime, history, late, project, now, warn, open },
    wholeBelow: wholeBelow ?? WHOLE_BELOW,
  };
  const queue = loopQueue(context);
  const { use, useReconciled } = queue;
  const publishing = publishSchedule(context, queue);
  const leases = createLeases(context);
  const watch = folderWatch(disk, project.loops, runtime);
  const index = loopIndex(context, watch);
  const pathsOf = (id: string) => loopPaths(project.loops, parseLoopId(id));
  const logOf = (id: string) => join(pathsOf(id).progress, "agent.log");
  const logs = logWriter(
    { disk, runtime },
    (path) => progressFolder(context, dirname(path)),
    (path, error) => {
      const id = basename(dirname(path), ".progress");
      warn(id, `Lines of ${path} are lost: ${String(storeError(error, id))}`);
    },
  );

  /** What an op id made before, as safe as a new commit: whoever made it may have died before it was. */
  async function repeated(loop: OpenLoop, opId: string | undefined): Promise<StoredLoop | null> {
    const revision = opId === undefined ? undefined : await findOp(context, loop, opId);
    const state = revision === undefined ? null : await stateAt(context, loop, revision);
    if (!state || revision === undefined) return null;
    await syncHistory(context, loop, revision);
    return { state, revision };
  }

  /** The loop of that name; null when there is none, and a folder for one. */
  async function found(loop: OpenLoop): Promise<StoredCommit | null> {
    await makeProject(context);
    await clearRemoved(context, loop);
    return orOn(reconcile(context, loop), ["loop_not_found"], null);
  }

  /** The remembered state, when nothing happened since; looks, but waits for nothing. */
  function readQuickly(id: string): StoredLoop | null {
    const loop = open(id);
    const head = loop.head?.stored;
    if (!head) return null;
    if (loop.published !== head.commit.revision && !publishing.isPutOff(loop)) return null;
    try {
      checkProject(context);
      return isReconciled(context, loop) ? answer(head) : null;
    } catch (error) {
      if (isLoopError(error, "loop_not_found")) return null;
      throw failureOf(context, loop, error);
    }
  }

  /** Whether it is there for certain, by two looks at the disk; where not, reading it tells why. */
  function isThere(id: string): boolean {
    const loop = open(id);
    try {
      return loop.head !== null && refresh(context, loop) !== null;
    } catch {
      return false;
    }
  }

  /** Takes in what another program wrote into a document that is not in its place any more. */
  async function importLate(id: string, edited: ExternalDocument): Promise<void> {
    await useReconciled(id, async (loop) => {
      if (isPublishedByUs(context, loop, tryParseJson(edited.text))) return;
      while (!(await importExternalEdit(context, loop, edited))) refresh(context, loop);
      await publishing.now(loop);
    }).catch(() => {});
  }

  async function read(id: string): Promise<StoredLoop> {
    const quick = readQuickly(parseLoopId(id));
    if (quick) return quick;
    return useReconciled(id, async (loop, head) => {
      await publishing.publishIfStale(loop, head);
      return answer(loop.head?.stored ?? head);
    });
  }

  return {
    async create(state, { actor, opId }) {
      return use(state.loop_id, async (loop) => {
        const head = await found(loop);
        if (head || disk.info(loop.paths.document)) {
          const before = head && (await repeated(loop, opId));
          if (before) return before;
          throw taken(loop);
        }
        clearLeftovers(context, loop);
        makeHistory(context, loop.paths, 0);
        const event = {
          type: "loop.created" as const,
          at: state.created_at,
          loop: withoutEtag(state),
        };
        const stored = await commit(context, loop, [event], { actor, opId });
        if (!stored) throw taken(loop);
        await publishing.publishSoon(loop);
        return answer(stored);
      });
    },
    read,
    async restore(records) {
      return use(records.state.loop_id, async (loop) => {
        const isFree = (await found(loop)) === null && !disk.info(loop.paths.document);
        const stored = isFree ? await restore(context, loop, records) : null;
        if (!stored) throw taken(loop);
        await publishing.publishSoon(loop);
        return answer(stored);
      });
    },
    append(id, revision, events, { actor, opId, epoch }) {
      return useReconciled(id, async (loop, head) => {
        const before = await repeated(loop, opId);
        if (before) return before;
        requireEpoch(context, loop, epoch);
        const newest = head.commit.revision;
        if (revision !== newest) throw revisionConflict(id, revision, newest);
        if (events.length === 0) return answer(head);
        const stored = await commit(context, loop, events, { actor, opId, epoch });
        if (!stored) {
          requireEpoch(context, loop, epoch);
          const other = refresh(context, loop) ?? head;
          throw revisionConflict(id, revision, other.commit.revision);
        }
        await publishing.publishSoon(loop);
        return answer(stored);
      });
    },
    operation: (id, opId) => useReconciled(id, (loop) => repeated(loop, opId)),
    async remove(id, { revision } = {}) {
      await logs.close(logOf(id));
      return use(id, async (loop) => {
        await decideRemoval(context, loop, revision);
        await queue.clear(loop);
      });
    },
    async list(query = {}) {
      checkProject(context);
      return index.list(query);
    },
    async *events(id, after = 0) {
      const { revision } = await read(id);
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
      useReconciled(id, ({ paths }) => leases.claim(paths, owner, ttlMs)),
    renew: (lease) => use(lease.id, async ({ paths }) => leases.renew(paths, lease)),
    release: (lease) => use(lease.id, async ({ paths }) => leases.release(paths, lease)),
    ownerOf: (id) =>
      use(id, async (loop) => {
        // What cannot be read can still be driven by somebody, or by nobody and be removed.
        await orOn(reconcile(context, loop), ["store_corrupt"], null);
        return leases.ownerOf(loop.paths);
      }),
    leaseOf: (id) => use(id, async ({ paths }) => leases.newest(paths)),
    async appendLog(id, records) {
      if (!isThere(parseLoopId(id))) await read(id);
      await logs.append(logOf(id), records);
    },
    async *readLog(id, options) {
      await read(id);
      await logs.flush(logOf(id));
      yield* followLog({ disk, runtime }, logOf(id), options);
    },
    progressDir: (id) => pathsOf(id).progress,
    recover: (id, options) =>
      queue.useDamaged(id, async (loop) => {
        const recovery = await recover(context, loop, options);
        if (!options.dryRun) await publish(context, loop);
        return recovery;
      }),
    async close() {
      await logs.close();
      await publishing.close();
      await queue.idle();
      await late.close();
      history.close();
      index.close();
      watch.close();
    },
  };
}

function taken({ paths }: OpenLoop): LoopError {
  return new LoopError("loop_exists", `Loop ${paths.id} exists already.`);
}

function answer({ commit: { state, revision } }: StoredCommit): StoredLoop {
  return { state, revision };
}
