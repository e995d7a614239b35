import { type Clock, LoopError, type LoopService } from "@ccw-loop/core";
import type { Kinds } from "./broadcast.ts";
import { Hub } from "./hub.ts";
import { LIVE_LIMITS, type LiveLimits, webClock } from "./listener.ts";
import { type LoopStart, type LoopTopic, loopTopic } from "./loop-stream.ts";
import { type Feed, type LoopChange, projectFeed } from "./project-feed.ts";
import { type ProjectStart, type ProjectTopic, projectTopic } from "./project-stream.ts";

export interface LoopListening extends LoopStart {
  kinds: Kinds;
  /** It came with an id that says nothing: it is told to read the loop anew. */
  lost: boolean;
  signal?: AbortSignal | undefined;
}

export interface ProjectListening extends ProjectStart {
  signal?: AbortSignal | undefined;
}

/**
 * What happens to the loops of one service, for any number of listeners. The service is asked while somebody listens,
 * once for all of them. A listener that does not read loses its stream, and comes back behind what it had.
 */
export interface Live {
  readonly clock: Clock;
  /** Server-sent events of one loop. Throws `loop_not_found`. */
  loop(id: string, listening: LoopListening): Promise<ReadableStream<Uint8Array>>;
  /** Server-sent events of all loops. */
  project(listening: ProjectListening): Promise<ReadableStream<Uint8Array>>;
  /** Messages of somebody else's making, with our pings, as fast as they are read; `left`: nobody reads any more. */
  stream(
    messages: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
    left: () => void,
  ): ReadableStream<Uint8Array>;
  /** Tells of changed loops until the returned function is called; `ended`: by itself there is nothing more. */
  follow(changed: (change: LoopChange) => void, ended: () => void): Promise<() => void>;
  /** Listeners now, and loops that are watched for them now. */
  figures(): { listeners: number; loops: number };
  /** Ends all streams, for good. */
  close(): void;
}

export interface LiveOptions {
  clock?: Clock;
  limits?: Partial<LiveLimits>;
}

export function createLive(service: LoopService, options: LiveOptions = {}): Live {
  const { clock = webClock, limits } = options;
  const hub = new Hub(service, clock, { ...LIVE_LIMITS, ...limits });
  const loops = new Shared<LoopTopic>();
  const projects = new Shared<ProjectTopic>();
  const feeds = new Shared<Feed>();
  const followers = new Set<() => void>();
  let closed = false;

  function requireOpen(): void {
    if (!closed) return;
    throw new LoopError("store_unavailable", "The server is shutting down. Try again in a moment.");
  }

  const useFeed = () => feeds.use("", (ended) => projectFeed(hub, ended));

  async function openProject(ended: () => void): Promise<ProjectTopic> {
    const { value: feed, leave } = await useFeed();
    const topic = projectTopic(hub, feed, ended);
    return {
      join: topic.join,
      close() {
        topic.close();
        leave();
      },
    };
  }

  return {
    clock,
    async loop(id, { signal, ...start }) {
      requireOpen();
      const listener = hub.listen(signal);
      try {
        for (let joined = false; !joined; ) {
          const topic = await loops.use(id, (ended) => loopTopic(hub, id, ended));
          listener.onLeave(topic.leave);
          joined = await topic.value.join(listener, start);
          if (!joined) topic.leave();
        }
      } catch (error) {
        listener.end();
        throw error;
      }
      if (closed) listener.end();
      return listener.stream;
    },
    async project({ signal, ...start }) {
      requireOpen();
      const { value: topic, leave } = await projects.use("", openProject);
      const listener = hub.listen(signal);
      listener.onLeave(leave);
      topic.join(listener, start);
      if (closed) listener.end();
      return listener.stream;
    },
    stream(messages, signal, left) {
      const listener = hub.listen(signal);
      listener.onLeave(left);
      listener.write(hub.greeting(undefined));
      const ended = () => listener.end();
      void hub.give(listener, messages).then(ended, ended);
      return listener.stream;
    },
    async follow(changed, ended) {
      requireOpen();
      const { value: feed, leave } = await useFeed();
      const unsubscribe = feed.subscribe(changed, ended);
      const over = () => {
        followers.delete(ended);
        unsubscribe();
        leave();
      };
      followers.add(ended);
      if (closed) ended();
      return over;
    },
    figures: () => ({ listeners: hub.listeners, loops: loops.size }),
    close() {
      closed = true;
      hub.endAll();
      for (const ended of [...followers]) ended();
    },
  };
}

/** Something that several use: opened for the first of them, closed when the last one leaves or it ends by itself. */
export class Shared<T extends { close(): void }> {
  readonly #open: Map<string, { value: Promise<T>; users: number }> = new Map();

  get size(): number {
    return this.#open.size;
  }

  /** `open` is given what to call when it ends by itself. What it throws, everybody who waits gets. */
  async use(
    key: string,
    open: (ended: () => void) => Promise<T>,
  ): Promise<{ value: T; leave: () => void }> {
    const found = this.#open.get(key) ?? this.#begin(key, open);
    found.users += 1;
    let left = false;
    const leave = () => {
      if (left) return;
      left = true;
      found.users -= 1;
      if (found.users > 0) return;
      this.#forget(key, found.value);
      void found.value.then((value) => value.close()).catch(() => undefined);
    };
    try {
      return { value: await found.value, leave };
    } catch (error) {
      leave();
      throw error;
    }
  }

  #begin(key: string, open: (ended: () => void) => Promise<T>) {
    const made: { value: Promise<T>; users: number } = {
      value: open(() => this.#forget(key, made.value)),
      users: 0,
    };
    this.#open.set(key, made);
    return made;
  }

  #forget(key: string, value: Promise<T>): void {
    if (this.#open.get(key)?.value === value) this.#open.delete(key);
  }
}
