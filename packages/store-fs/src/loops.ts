import {
  type AppendOptions,
  isLoopError,
  LoopError,
  type LoopEvent,
  type LoopState,
  parseLoopId,
  type RevisionOptions,
  requireAtRest,
  revisionConflict,
  type StoredLoop,
  tryParseJson,
} from "@ccw-loop/core";
import { commit, fenced, findOp } from "./commit/append.ts";
import { type StoredCommit, withoutEtag } from "./commit/commit.ts";
import { refresh } from "./commit/head.ts";
import { stateAt } from "./commit/replay.ts";
import { epochFolder } from "./commit/revision-names.ts";
import type { OpenLoop, StoreContext } from "./context.ts";
import {
  type ExternalDocument,
  importExternalEdit,
  isPublishedByUs,
} from "./external-edits/import-document.ts";
import {
  checkLoop,
  checkProject,
  enterProject,
  failureOf,
  makeHistory,
  makeProject,
} from "./folders.ts";
import { publish } from "./publish/publish.ts";
import { isReconciled, reconcile } from "./reconcile.ts";
import { addTombstone, clearLeftovers, clearRemoved } from "./remove.ts";
import type { Timer } from "./runtime.ts";
import { keyedQueue, throttle } from "./scheduling.ts";

/** How long the writer of a commit gets to publish it before a reader does. */
const GRACE_MS = 100;
/** How long work may go on before everything else in this process gets its turn. */
const TURN_MS = 5;

/** Reading and writing whole loops; work on one loop is done one after the other. */
export interface Loops {
  create(state: LoopState, options: AppendOptions): Promise<StoredLoop>;
  read(id: string): Promise<StoredLoop>;
  append(
    id: string,
    revision: number,
    events: readonly LoopEvent[],
    options: AppendOptions,
  ): Promise<StoredLoop>;
  operation(id: string, opId: string): Promise<StoredLoop | null>;
  remove(id: string, options?: RevisionOptions): Promise<void>;
  /** Does something with a loop while nothing else does; failures of the disk become LoopErrors. */
  use<T>(id: string, work: (loop: OpenLoop) => Promise<T>): Promise<T>;
  /** The same for a loop of which anything may have been replaced by something else. */
  useDamaged<T>(id: string, work: (loop: OpenLoop) => Promise<T>): Promise<T>;
  /** The same with the newest commit; throws `loop_not_found`. */
  useReconciled<T>(
    id: string,
    work: (loop: OpenLoop, head: StoredCommit) => Promise<T>,
  ): Promise<T>;
  /** Takes in what another program wrote into a document that is not in its place any more. */
  takeIn(id: string, foreign: ExternalDocument): Promise<void>;
  /** Publishes what was put off and waits for what is under way. */
  close(): Promise<void>;
}

export function createLoops(context: StoreContext): Loops {
  const { machine } = context;
  const queue = keyedQueue();
  const paced = throttle(machine);
  let rested = 0;
  /** Loops whose newest commit somebody else still has to publish. */
  const watched = new Map<string, Timer>();

  async function use<T>(
    id: string,
    work: (loop: OpenLoop) => Promise<T>,
    check = checkLoop,
  ): Promise<T> {
    const name = parseLoopId(id);
    return queue.run(name, async () => {
      await rest();
      const loop = context.open(name);
      try {
        enterProject(context);
        if (!loop.head) check(context, loop);
        return await work(loop);
      } catch (error) {
        if (isLoopError(error, "loop_not_found")) await clear(loop);
        throw failureOf(context, loop, error);
      }
    });
  }

  /** Deletes what is left of a removed loop. That it is removed was decided before: nothing here may look otherwise. */
  async function clear(loop: OpenLoop): Promise<void> {
    await clearRemoved(context, loop).catch((error: unknown) => {
      const { id } = loop.paths;
      context.warn(id, `Loop ${id} is deleted, but files of it are left: ${String(error)}`);
    });
  }

  /** Lets timers and sockets have their turn: work that never waits for a thread would starve them. */
  async function rest(): Promise<void> {
    if (machine.elapsed() - rested < TURN_MS) return;
    await machine.turn();
    rested = machine.elapsed();
  }

  function useSettled<T>(id: string, work: (loop: OpenLoop, head: StoredCommit) => Promise<T>) {
    return use(id, async (loop) => work(loop, await reconcile(context, loop)));
  }

  /** What was committed is safe already: nothing that happens here may look like a failure of the commit. */
  async function publishQuietly(loop: OpenLoop): Promise<void> {
    await publish(context, loop).catch((error: unknown) => {
      if (isLoopError(error, "loop_not_found")) return;
      context.warn(loop.paths.id, `The loop could not be published: ${String(error)}`);
    });
  }

  async function publishSoon(loop: OpenLoop): Promise<void> {
    const { id } = loop.paths;
    const later = () => void use(id, publishQuietly).catch(() => {});
    if (paced.now(id, later)) await publishQuietly(loop);
  }

  /** Publishes what a writer that is gone did not; one that committed just now gets time to do it. */
  async function heal(loop: OpenLoop, head: StoredCommit): Promise<void> {
    const { id } = loop.paths;
    const { revision } = head.commit;
    if (loop.published === revision || paced.isWaiting(id)) return;
    const age = machine.wall() - context.history.writtenAt(loop.paths, revision);
    if (loop.published === 0 || age > GRACE_MS) await publishQuietly(loop);
    else if (!watched.has(id)) {
      const timer = machine.after(GRACE_MS, () => void lookAgain(id));
      timer.keepProcess(false);
      watched.set(id, timer);
    }
  }

  async function lookAgain(id: string): Promise<void> {
    watched.get(id)?.cancel();
    watched.delete(id);
    await useSettled(id, (loop) => publishQuietly(loop)).catch(() => {});
  }

  /** What an op id made before, as safe as a new commit: whoever made it may have died before it was. */
  async function repeated(loop: OpenLoop, opId: string | undefined): Promise<StoredLoop | null> {
    const revision = opId === undefined ? undefined : await findOp(context, loop, opId);
    const state = revision === undefined ? null : await stateAt(context, loop, revision);
    if (!state || revision === undefined) return null;
    await context.disk.syncFolder(loop.paths.history);
    return { state, revision };
  }

  /** The remembered state, when nothing happened since; looks, but waits for nothing. */
  function readQuickly(id: string): StoredLoop | null {
    const loop = context.open(id);
    const head = loop.head?.stored;
    if (!head || loop.published !== head.commit.revision) return null;
    try {
      checkProject(context);
      return isReconciled(context, loop) ? answer(head) : null;
    } catch (error) {
      if (isLoopError(error, "loop_not_found")) return null;
      throw failureOf(context, loop, error);
    }
  }

  return {
    use: (id, work) => use(id, work),
    useDamaged: (id, work) => use(id, work, () => {}),
    useReconciled: useSettled,
    async read(id) {
      const quick = readQuickly(parseLoopId(id));
      if (quick) return quick;
      return useSettled(id, async (loop, head) => {
        await heal(loop, head);
        return answer(loop.head?.stored ?? head);
      });
    },
    create(state, { actor, opId }) {
      return use(state.loop_id, async (loop) => {
        const { id, document } = loop.paths;
        await makeProject(context);
        await clearRemoved(context, loop);
        const head = await reconcile(context, loop).catch((error: unknown) => {
          if (isLoopError(error, "loop_not_found")) return null;
          throw error;
        });
        const exists = () => new LoopError("loop_exists", `Loop ${id} exists already.`);
        if (head || context.disk.info(document)) {
          const before = head && (await repeated(loop, opId));
          if (before) return before;
          throw exists();
        }
        clearLeftovers(context, loop);
        await makeHistory(context, loop.paths, 0);
        const event = {
          type: "loop.created" as const,
          at: state.created_at,
          loop: withoutEtag(state),
        };
        const stored = await commit(context, loop, [event], { actor, opId });
        if (!stored) throw exists();
        await publishSoon(loop);
        return answer(stored);
      });
    },
    append(id, revision, events, { actor, opId, epoch }) {
      return useSettled(id, async (loop, head) => {
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
        await publishSoon(loop);
        return answer(stored);
      });
    },
    operation: (id, opId) => useSettled(id, (loop) => repeated(loop, opId)),
    remove(id, { revision } = {}) {
      return use(id, async (loop) => {
        for (let decided = false; !decided; ) {
          const head = await reconcile(context, loop).catch((error: unknown) => {
            // What cannot be read can still be removed.
            if (revision === undefined && isLoopError(error, "store_corrupt")) return null;
            throw error;
          });
          if (head) {
            const newest = head.commit.revision;
            if ((revision ?? newest) !== newest) throw revisionConflict(id, revision ?? 0, newest);
            requireAtRest(head.commit.state, "delete");
            decided = await addTombstone(context, loop, newest);
          } else {
            await makeProject(context);
            context.disk.makeFolder(loop.paths.history);
            decided = await addTombstone(
              context,
              loop,
              context.history.revisions(loop.paths).at(-1) ?? 0,
            );
          }
        }
        await clear(loop);
      });
    },
    async takeIn(id, foreign) {
      await useSettled(id, async (loop) => {
        if (isPublishedByUs(context, loop, tryParseJson(foreign.text))) return;
        while (!(await importExternalEdit(context, loop, foreign))) refresh(context, loop);
        await publishQuietly(loop);
      }).catch(() => {});
    },
    async close() {
      await Promise.all(paced.cancel().map((id) => use(id, publishQuietly)));
      await Promise.all([...watched.keys()].map(lookAgain));
      await queue.idle();
      await context.late.close();
    },
  };
}

function answer({ commit: { state, revision } }: StoredCommit): StoredLoop {
  return { state, revision };
}

function requireEpoch(
  { disk }: StoreContext,
  { paths }: OpenLoop,
  epoch: number | undefined,
): void {
  if (epoch === undefined || disk.info(epochFolder(paths.history, epoch))?.kind === "folder") {
    return;
  }
  throw fenced(paths.id, epoch);
}
