import { EventEmitter, on } from "node:events";
import {
  type Activity,
  type LiveEvent,
  LoopError,
  type LoopStore,
  type ReadLogOptions,
  type RecordedEvent,
  type WatchOptions,
} from "@ccw-loop/core";

/** What agent.log has, each record with its place. A line that another program wrote may hold anything. */
export async function* activityOf(
  store: LoopStore,
  id: string,
  options?: ReadLogOptions,
): AsyncGenerator<Activity> {
  for await (const { record, ...place } of store.readLog(id, options)) {
    if (typeof record !== "object" || record === null || Array.isArray(record)) continue;
    yield { ...(record as Activity), ...place };
  }
}

/**
 * Journal and activity of one loop merged as they happen, whichever process writes them. Recorded events
 * come once, in order. `now` (RFC 3339): activity from then on unless the options say more.
 */
export async function* watchLoop(
  store: LoopStore,
  id: string,
  { after, signal, seq, since }: WatchOptions,
  now: string,
): AsyncGenerator<LiveEvent> {
  const seen = after ?? (await store.read(id)).revision;
  if (signal.aborted) return;
  const stop = new AbortController();
  const source = new EventEmitter().on("error", () => undefined);
  const events = on(source, "live", { close: ["end"] });
  const push = (event: LiveEvent) => source.emit("live", event);
  const fail = (error: unknown) => source.emit("error", error);
  const end = () => {
    stop.abort();
    source.emit("end");
  };
  signal.addEventListener("abort", end, { once: true });
  void followJournal(store, id, seen, stop.signal, (recorded) =>
    push({ kind: "recorded", id, recorded }),
  ).catch(fail);
  void followActivity(
    activityOf(store, id, { after: seq, follow: stop.signal }),
    seq === undefined ? (since ?? now) : null,
    (activity) => push({ kind: "activity", id, activity }),
  ).catch(fail);
  try {
    for await (const [event] of events) yield event;
  } finally {
    signal.removeEventListener("abort", end);
    stop.abort();
  }
}

/** Listens before it reads, so that nothing is written unseen in between. */
async function followJournal(
  store: LoopStore,
  id: string,
  after: number,
  signal: AbortSignal,
  push: (recorded: RecordedEvent) => void,
): Promise<void> {
  let seen = after;
  const born = async () => (await store.read(id)).state.created_at;
  const first = await born();
  const catchUp = async () => {
    if ((await born()) !== first) {
      throw new LoopError(
        "loop_not_found",
        `Loop ${id} was deleted, and another is called so now.`,
      );
    }
    for await (const recorded of store.events(id, seen)) {
      seen = Math.max(seen, recorded.revision);
      push(recorded);
    }
  };
  const hints = store.watch(id, signal);
  await catchUp();
  for await (const _ of hints) await catchUp();
}

/** Passes on what is from the time `since` on; all without one. */
async function followActivity(
  records: AsyncIterable<Activity>,
  since: string | null,
  push: (activity: Activity) => void,
): Promise<void> {
  let live = since === null;
  for await (const activity of records) {
    live ||= activity.at >= (since ?? "");
    if (live) push(activity);
  }
}
