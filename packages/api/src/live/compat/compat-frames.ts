import type { Live } from "../live.ts";
import type { LoopChange } from "../project/feed.ts";
import { type CompatFrame, compatFramesOf } from "./frames.ts";
import { StateThrottle } from "./pace.ts";

/** Characters that may wait for a consumer; one that is further behind is let go. */
const BACKLOG = 1024 * 1024;

export interface CompatOptions {
  signal: AbortSignal;
  /** Only this loop. */
  loop?: string | undefined;
}

/**
 * Upstream's frames as JSON, until `signal` aborts: of what happens after it resolved, whether or not somebody reads
 * already. States of a loop come a second apart or more, and the last one always comes. They end by themselves when
 * their consumer falls far behind, and when there is nothing more to follow.
 */
export async function compatFrames(
  live: Live,
  { signal, loop }: CompatOptions,
): Promise<AsyncIterable<string>> {
  const { clock } = live;
  const pace = new StateThrottle<CompatFrame>();
  let queue: string[] = [];
  let waiting = 0;
  let over = signal.aborted;
  let wake = () => {};

  function put(frame: CompatFrame): void {
    const json = JSON.stringify(frame);
    queue.push(json);
    waiting += json.length;
    if (waiting > BACKLOG) over = true;
  }

  function changed(change: LoopChange): void {
    if (over || (loop !== undefined && change.id !== loop)) return;
    const { once, state } = compatFramesOf(change);
    once.forEach(put);
    if (change.state === null) pace.forget(change.id);
    if (state && pace.offer(change.id, state, clock.monotonic())) put(state);
    wake();
  }

  const end = () => {
    over = true;
    wake();
  };
  signal.addEventListener("abort", end, { once: true });
  const leave = over ? () => {} : await live.follow(changed, end);

  async function* frames(): AsyncGenerator<string> {
    try {
      while (!over) {
        pace.due(clock.monotonic()).forEach(put);
        const batch = queue;
        queue = [];
        waiting = 0;
        yield* batch;
        if (queue.length === 0 && !over) await somethingToSend();
      }
    } finally {
      signal.removeEventListener("abort", end);
      leave();
    }
  }

  async function somethingToSend(): Promise<void> {
    const timer = new AbortController();
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const due = pace.next();
    const later = due === null ? [] : [clock.sleep(due - clock.monotonic(), timer.signal)];
    await Promise.race([woken, ...later]);
    timer.abort();
  }

  return frames();
}
