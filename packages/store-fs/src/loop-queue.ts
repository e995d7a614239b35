import { isLoopError, KeyedQueue, parseLoopId } from "@ccw-loop/core";
import type { StoredCommit } from "./commit/commit-form.ts";
import type { OpenLoop, StoreContext } from "./context.ts";
import { reconcile } from "./reconcile.ts";
import { clearRemoved } from "./remove.ts";
import { yieldAfterLongWork } from "./runtime.ts";
import { checkLoop, enterProject, failureOf } from "./safe-folders.ts";

export type LoopQueue = ReturnType<typeof loopQueue>;

/** Gives whoever works on a loop the loop for itself; other loops do not wait. Failures of the disk become LoopErrors. */
export function loopQueue(context: StoreContext) {
  const { runtime } = context;
  const queue = new KeyedQueue();
  const yieldIfLong = yieldAfterLongWork(runtime);

  async function use<T>(
    id: string,
    work: (loop: OpenLoop) => Promise<T>,
    check = checkLoop,
  ): Promise<T> {
    const name = parseLoopId(id);
    return queue.run(name, async () => {
      await yieldIfLong();
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

  return {
    use: <T>(id: string, work: (loop: OpenLoop) => Promise<T>) => use(id, work),
    /** For a loop of which anything may have been replaced by something else. */
    useDamaged: <T>(id: string, work: (loop: OpenLoop) => Promise<T>) => use(id, work, () => {}),
    /** With the newest commit; throws `loop_not_found`. */
    useReconciled: <T>(id: string, work: (loop: OpenLoop, head: StoredCommit) => Promise<T>) =>
      use(id, async (loop) => work(loop, await reconcile(context, loop))),
    clear,
    idle: () => queue.idle(),
  };
}
