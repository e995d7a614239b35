import { isLoopError } from "@ccw-loop/core";
import type { StoredCommit } from "../commit/commit-form.ts";
import type { OpenLoop, StoreContext } from "../context.ts";
import type { LoopQueue } from "../loop-queue.ts";
import type { Timer } from "../runtime.ts";
import { publish } from "./publish.ts";

/** How long the writer of a commit gets to publish it before a reader does. */
const GRACE_MS = 100;

/** How often a loop is published: so many times at once, and one more each time so many milliseconds went by. */
interface Pace {
  burst: number;
  everyMs: number;
}

/** A storm of commits shares publications. */
const USUAL: Pace = { burst: 16, everyMs: 20 };
/** Documents of more than `LARGE` characters are written once a second. */
const SELDOM: Pace = { burst: 1, everyMs: 1000 };
const LARGE = 32 * 1024;

function paceOf({ publishedText }: OpenLoop): Pace {
  return (publishedText?.length ?? 0) > LARGE ? SELDOM : USUAL;
}

/** Decides when what was committed is published, and by whom. */
export function publishSchedule(context: StoreContext, { use, useReconciled }: LoopQueue) {
  const { runtime, history } = context;
  const budgets = new Map<string, { left: number; at: number }>();
  /** Loops whose publication was put off. */
  const waiting = new Map<string, Timer>();
  /** Loops whose newest commit somebody else still has to publish. */
  const watched = new Map<string, Timer>();

  /** What was committed is safe already: nothing that happens here may look like a failure of the commit. */
  async function now(loop: OpenLoop): Promise<void> {
    await publish(context, loop).catch((error: unknown) => {
      if (isLoopError(error, "loop_not_found")) return;
      context.warn(loop.paths.id, `The loop could not be published: ${String(error)}`);
    });
  }

  /** Whether a loop may be published now, which is counted. */
  function takesTurn(loop: OpenLoop): boolean {
    const { id } = loop.paths;
    const { burst, everyMs } = paceOf(loop);
    const time = runtime.elapsed();
    const before = budgets.get(id) ?? { left: burst, at: time };
    const left = Math.min(burst, before.left + (time - before.at) / everyMs);
    budgets.set(id, { left: Math.max(0, left - 1), at: time });
    return left >= 1;
  }

  async function lookAgain(id: string): Promise<void> {
    watched.get(id)?.cancel();
    watched.delete(id);
    await useReconciled(id, now).catch(() => {});
  }

  return {
    now,
    /** Whether it will be published in a moment, by this process. */
    isPutOff: ({ paths }: OpenLoop) => waiting.has(paths.id),
    /** At once, or a little later in a storm of commits. */
    async publishSoon(loop: OpenLoop): Promise<void> {
      const { id } = loop.paths;
      if (waiting.has(id)) return;
      if (takesTurn(loop)) return now(loop);
      const later = () => {
        waiting.delete(id);
        void use(id, now).catch(() => {});
      };
      waiting.set(id, runtime.after(paceOf(loop).everyMs, later));
    },
    /** Publishes what a writer that is gone did not; one that committed just now gets time to do it. */
    async publishIfStale(loop: OpenLoop, head: StoredCommit): Promise<void> {
      const { id } = loop.paths;
      const { revision } = head.commit;
      if (loop.published === revision || waiting.has(id)) return;
      const age = runtime.wall() - history.writtenAt(loop.paths, revision);
      const grace = paceOf(loop).everyMs + GRACE_MS;
      if (loop.published === 0 || age > grace) await now(loop);
      else if (!watched.has(id)) {
        const timer = runtime.after(grace, () => void lookAgain(id));
        timer.keepProcess(false);
        watched.set(id, timer);
      }
    },
    /** Publishes what was put off. */
    async close(): Promise<void> {
      const ids = [...waiting.keys()];
      for (const timer of waiting.values()) timer.cancel();
      waiting.clear();
      await Promise.all(ids.map((id) => use(id, now)));
      await Promise.all([...watched.keys()].map(lookAgain));
    },
  };
}
