import {
  isLoopError,
  type LiveEvent,
  type LoopService,
  toLoopError,
  type WatchOptions,
} from "@ccw-loop/core";
import { type Progress, progressSoFar } from "../loop/progress.ts";
import type { FollowedMessage } from "../loops/loops.ts";
import { pause } from "./pause.ts";

export interface LoopFeed {
  service: Pick<LoopService, "get" | "events" | "watch">;
  send: (message: FollowedMessage) => void;
  /** Told when the loop could not be read, and is tried again. */
  lost: (error: unknown) => void;
  signal: AbortSignal;
}

/** Ten times a second. */
const BATCH_MS = 100;
const AGAIN_MS = 1000;
/** Events after which others get their turn. */
const BREATH = 500;

/** Follows a loop: its past first, then what happens, until the signal aborts, the loop is gone or cannot be read. */
export async function followLoop(id: string, feed: LoopFeed): Promise<void> {
  let from: Beginning | undefined;
  while (!feed.signal.aborted) {
    try {
      from = await once(id, feed, from);
    } catch (error) {
      if (feed.signal.aborted) return;
      if (!isLost(error)) {
        feed.send({ type: "unopened", id, reason: toLoopError(error).message });
        return;
      }
      feed.lost(error);
    }
    await pause(AGAIN_MS, feed.signal);
  }
}

/** From where activity is told. */
type Beginning = Pick<WatchOptions, "seq" | "since">;

/** Until the stream ends. Answers with where the last activity was that was told. */
async function once(
  id: string,
  { service, send, lost, signal }: LoopFeed,
  before: Beginning | undefined,
): Promise<Beginning | undefined> {
  const state = await service.get(id);
  const events = (of: string) => unhurried(service.events(of));
  const progress = await progressSoFar({ events }, state);
  if (signal.aborted) return before;
  send({ type: "opened", id, progress });
  let from = before ?? { since: beginningOf(progress) };
  const batch = new Batch();
  const flush = () => {
    if (!batch.isEmpty) send({ type: "happened", id, ...batch.take() });
  };
  const timer = setInterval(flush, BATCH_MS);
  try {
    const told = service.watch(id, { after: state.revision, ...from, signal });
    for await (const event of unhurried(told)) {
      batch.add(event);
      const seq = event.kind === "activity" ? event.activity.seq : undefined;
      if (seq !== undefined) from = { seq };
    }
  } catch (error) {
    if (!isLost(error)) throw error;
    lost(error);
  } finally {
    clearInterval(timer);
    if (!signal.aborted) flush();
  }
  return from;
}

/** Whether the loops cannot be reached, as opposed to this one. */
export function isLost(error: unknown): boolean {
  return isLoopError(error, "store_unavailable");
}

/** The same, with turns for others in between. */
async function* unhurried<T>(events: AsyncIterable<T>): AsyncGenerator<T> {
  let count = 0;
  for await (const event of events) {
    yield event;
    count += 1;
    if (count % BREATH === 0) await pause(0);
  }
}

/** So many actions back the agent's doings are shown at once; what it did before is in its log. */
const ACTIONS_BACK = 4;

function beginningOf({ state, steps }: Progress): string {
  return (steps.at(-ACTIONS_BACK) ?? steps.at(0))?.started_at ?? state.created_at;
}

/** Records of activity that one batch holds; who writes more is not read anyway. */
const MOST = 5000;

/** What happened since the last batch, bounded: every fact, and the newest activity. */
export class Batch {
  #events: LiveEvent[] = [];
  #activity = 0;
  #leftOut = 0;

  get isEmpty(): boolean {
    return this.#events.length === 0;
  }

  add(event: LiveEvent): void {
    this.#events.push(event);
    if (event.kind !== "activity") return;
    this.#activity += 1;
    // Rarely, because it goes through all of them.
    if (this.#activity >= 2 * MOST) this.#thin();
  }

  take(): { events: readonly LiveEvent[]; leftOut: number } {
    if (this.#activity > MOST) this.#thin();
    const taken = { events: this.#events, leftOut: this.#leftOut };
    this.#events = [];
    this.#activity = 0;
    this.#leftOut = 0;
    return taken;
  }

  #thin(): void {
    let surplus = this.#activity - MOST;
    this.#leftOut += surplus;
    this.#activity = MOST;
    this.#events = this.#events.filter(({ kind }) => {
      const isSurplus = kind === "activity" && surplus > 0;
      if (isSurplus) surplus -= 1;
      return !isSurplus;
    });
  }
}
