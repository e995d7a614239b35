import { type Clock, LoopError, type LoopService } from "@ccw-loop/core";
import { webClock } from "../app/web-clock.ts";
import { LIVE_LIMITS, type LiveLimits } from "./context.ts";
import { EventStreams, type Messages } from "./event-stream.ts";
import { type LoopStart, type LoopTopic, loopTopic } from "./loop-stream.ts";
import { type ProjectStart, type ProjectTopic, projectTopic } from "./project-stream.ts";

/** Ends the stream. */
interface Signalled {
  signal?: AbortSignal | undefined;
}

export interface LiveOptions {
  clock?: Clock;
  limits?: Partial<LiveLimits>;
}

export type Live = ReturnType<typeof createLive>;

/**
 * Server-sent events of what happens to the loops of one service, for any number of readers. The service is asked while
 * somebody reads, once for all of them. A reader that takes nothing loses its stream, and comes back behind what it had.
 */
export function createLive(service: LoopService, options: LiveOptions = {}) {
  const { clock = webClock } = options;
  const limits = { ...LIVE_LIMITS, ...options.limits };
  const context = { service, clock, limits };
  const streams = new EventStreams(context);
  const loops = new Shared<LoopTopic>();
  const projects = new Shared<ProjectTopic>();

  function requireOpen(): void {
    if (!streams.isClosed) return;
    throw new LoopError("store_unavailable", "The server is shutting down. Try again in a moment.");
  }

  function useProject() {
    requireOpen();
    return projects.use("", (ended) => projectTopic(context, ended));
  }

  return {
    /** Of one loop. Throws `loop_not_found`. */
    async loop(id: string, { signal, ...start }: LoopStart & Signalled) {
      requireOpen();
      for (;;) {
        const topic = await loops.use(id, (ended) => loopTopic(context, id, ended));
        let messages: Messages | null = null;
        try {
          messages = await topic.value.messages(start);
        } finally {
          if (!messages) topic.leave();
        }
        if (messages) return streams.open(messages, signal, topic.leave);
      }
    },
    async project({ signal, ...start }: ProjectStart & Signalled) {
      const { value, leave } = await useProject();
      const { messages, left } = value.messages(start);
      return streams.open(messages, signal, () => {
        left();
        leave();
      });
    },
    /** Upstream's messages of all loops, or of one, from now on. */
    async compat({ signal, loop }: { loop?: string } & Signalled) {
      const { value, leave } = await useProject();
      return streams.open(value.compat(loop), signal, leave);
    },
    /** Readers now, and loops that are watched for them now. */
    figures: () => ({ listeners: streams.size, loops: loops.size }),
    close: () => streams.close(),
  };
}

/** Something that several use: opened for the first of them, closed when the last one leaves or it ends by itself. */
class Shared<T extends { close(): void }> {
  readonly #open = new Map<string, { value: Promise<T>; users: number }>();

  get size(): number {
    return this.#open.size;
  }

  /**
   * `open` is given what to call when it ends by itself. What it throws, everybody who waits gets. `leave` has to be called
   * once.
   */
  async use(
    key: string,
    open: (ended: () => void) => Promise<T>,
  ): Promise<{ value: T; leave: () => void }> {
    const forget = () => {
      if (this.#open.get(key) === used) this.#open.delete(key);
    };
    const used = this.#open.get(key) ?? { value: open(forget), users: 0 };
    this.#open.set(key, used);
    used.users += 1;
    const leave = () => {
      used.users -= 1;
      if (used.users > 0) return;
      forget();
      void used.value.then((value) => value.close()).catch(() => undefined);
    };
    try {
      return { value: await used.value, leave };
    } catch (error) {
      leave();
      throw error;
    }
  }
}
