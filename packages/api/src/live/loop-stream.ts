import { isLoopError, LoopError } from "@ccw-loop/core";
import type { Channel, Entry, Kinds, Ring } from "./channel.ts";
import { type Hub, ReplayGroup } from "./hub.ts";
import type { Listener } from "./listener.ts";
import {
  type ActivityPosition,
  BEGINNING,
  covers,
  formatPlace,
  furthest,
  incarnationOf,
  isLaterActivity,
  isLaterFact,
  LOG_START,
  type LoopPosition,
  logCounter,
  logSeeker,
  type Sought,
  type StreamPosition,
  timeText,
} from "./loop-position.ts";
import { type ReplayClient, replay } from "./loop-replay.ts";
import {
  activityMessage,
  deletedMessage,
  type Fact,
  factCounter,
  factMessage,
  gapMessage,
  joined,
  messageBody,
  messageEnd,
  resyncMessage,
} from "./messages.ts";

/** So often a listener goes through the past before it is sent away to come back: others write faster than it reads. */
const ROUNDS = 3;

/** From where somebody listens to a loop: behind a place, behind a revision, or (neither) from now on. */
export interface LoopStart {
  place?: StreamPosition | undefined;
  after?: number | undefined;
}

/** One loop that somebody listens to: one watch for all of them. */
export interface LoopTopic {
  /** False when another loop has the id by now: this topic is over. Throws `loop_not_found`. */
  join(listener: Listener, start: LoopStart & { kinds: Kinds; lost: boolean }): Promise<boolean>;
  close(): void;
}

/** Throws `loop_not_found`. `ended` is called when the loop is deleted or cannot be followed any more. */
export async function loopTopic(hub: Hub, id: string, ended: () => void): Promise<LoopTopic> {
  const { service } = hub;
  const stop = new AbortController();
  const base = await service.get(id);
  const begin: LoopPosition = {
    fact: { revision: base.revision ?? 0, index: Number.POSITIVE_INFINITY },
    activity: await endOfLog(hub, id),
  };
  const birth = incarnationOf(base);
  const idOf = (position: LoopPosition) => formatPlace({ position, birth });
  const channel = hub.channel(begin, idOf);
  const { ring } = channel;
  const listeners = new Set<Listener>();
  const convoy = new ReplayGroup<ReplayClient>(travel);

  async function follow(): Promise<void> {
    const { activity } = begin;
    const options = {
      after: begin.fact.revision,
      since: new Date(activity.ms).toISOString(),
      signal: stop.signal,
    };
    const factOf = factCounter(base);
    const recordOf = logCounter({ ...activity, n: 0 });
    const seek = logSeeker(activity);
    for await (const event of service.watch(id, options)) {
      if (event.kind === "recorded") addFact(factOf(event.recorded));
      else addRecords(seek(recordOf(event.activity)));
    }
  }

  function addFact(fact: Fact): void {
    channel.add("recorded", { ...ring.position, fact: fact.position }, ...factMessage(id, fact));
  }

  function addRecords({ records, gap }: Sought): void {
    if (gap) {
      const after = new Date(begin.activity.ms).toISOString();
      const until = records[0] ? timeText(records[0].activity) : null;
      channel.add("activity", ring.position, ...gapMessage(id, after, until));
    }
    for (const { activity, position } of records) {
      const behind = { ...ring.position, activity: position };
      channel.add("activity", behind, ...activityMessage(id, activity));
    }
  }

  function finish(error?: unknown): void {
    ended();
    if (stop.signal.aborted) return;
    stop.abort();
    hub.channelClosed();
    channel.flush();
    const deleted = isLoopError(error, "loop_not_found");
    const last = joined([messageBody(...deletedMessage(id)), messageEnd()]);
    for (const listener of [...listeners]) {
      if (deleted) listener.write(last);
      listener.end();
    }
  }

  function behind(revision: number): LoopPosition {
    return { ...ring.position, fact: { revision, index: Number.POSITIVE_INFINITY } };
  }

  async function travel(travellers: ReplayClient[]): Promise<void> {
    try {
      await replay(hub, { id, idOf }, travellers);
    } catch (error) {
      if (!isLoopError(error, "loop_not_found")) for (const one of travellers) one.listener.end();
      return;
    }
    for (const one of travellers) arrive({ ...one, rounds: one.rounds + 1 });
  }

  function arrive(traveller: ReplayClient): void {
    const { listener, rounds } = traveller;
    if (!listener.open || joinRing(channel, traveller)) return;
    if (rounds < ROUNDS) convoy.join(traveller);
    else hub.cut(listener);
  }

  void follow().then(() => finish(), finish);

  return {
    async join(listener, { kinds, place, after, lost }) {
      const state = await service.get(id);
      if (incarnationOf(state) !== birth) {
        finish(new LoopError("loop_not_found", `Another loop is called ${id} now.`));
        return false;
      }
      const asked = place?.position ?? (after === undefined ? undefined : behind(after));
      const { revision = 0 } = state;
      // Who comes from another loop that had this id before has nothing of this one.
      const isOther = place?.birth !== undefined && place.birth !== birth;
      const strange = isOther || (asked !== undefined && asked.fact.revision > revision);
      const from = strange ? BEGINNING : (asked ?? ring.position);
      listener.write(hub.greeting(idOf(from)));
      if (lost || strange) {
        const resync = messageBody(...resyncMessage(id, from.fact.revision));
        listener.write(joined([resync, messageEnd()]));
      }
      listeners.add(listener);
      listener.onLeave(() => {
        listeners.delete(listener);
        channel.detach(listener);
      });
      arrive({ listener, kinds, position: from, rounds: 0 });
      return true;
    },
    close() {
      if (stop.signal.aborted) return;
      stop.abort();
      hub.channelClosed();
    },
  };
}

async function endOfLog({ service }: Hub, id: string): Promise<ActivityPosition> {
  const recordOf = logCounter(LOG_START);
  let end = LOG_START;
  for await (const activity of service.activity(id)) end = recordOf(activity).position;
  return end;
}

/** Gives a listener what comes behind its position; false when the ring does not have all of that. */
export function joinRing(
  channel: Channel<LoopPosition>,
  { listener, kinds, position, rounds }: ReplayClient,
): boolean {
  const { ring } = channel;
  const at: LoopPosition = {
    fact: kinds.has("recorded") ? position.fact : ring.floor.fact,
    activity: kinds.has("activity") ? position.activity : ring.floor.activity,
  };
  if (!covers(at, ring.floor) || !isPlace(ring, at.activity, rounds > 0)) return false;
  const next = ring.search((behind) => !covers(at, behind));
  const before = ring.at(next - 1)?.position ?? ring.floor;
  const isLevel = (there: LoopPosition) => covers(there, at);
  const ahead = isLevel(before) ? undefined : (entry: Entry<LoopPosition>) => idBehind(entry, at);
  channel.attach(listener, { kinds, next, ahead, isLevel });
  return true;
}

/**
 * Whether the ring counts the log as `at` does. It does not when the log was rotated while a clock that had been set
 * back was behind its latest time. `read`: from the log itself, which may be further than the ring is.
 */
function isPlace(ring: Ring<LoopPosition>, at: ActivityPosition, read: boolean): boolean {
  if (read && isLaterActivity(at, ring.position.activity)) return true;
  const next = ring.search(({ activity }) => isLaterActivity(activity, at));
  const { activity } = ring.at(next - 1)?.position ?? ring.floor;
  return activity.ms === at.ms && activity.n === at.n && activity.digest === at.digest;
}

/** The position of what `entry` is when it is sent to somebody who is at `at`; null for what they had. */
function idBehind({ kind, position }: Entry<LoopPosition>, at: LoopPosition): LoopPosition | null {
  if (kind === "recorded" && !isLaterFact(position.fact, at.fact)) return null;
  if (kind === "activity" && !isLaterActivity(position.activity, at.activity)) return null;
  return furthest(at, position);
}
