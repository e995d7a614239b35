import type { Channel } from "../stream/channel.ts";
import type { Entry, Ring } from "../stream/ring.ts";
import {
  type ActivityPosition,
  covers,
  furthest,
  isLaterActivity,
  isLaterFact,
  type LoopPosition,
} from "./position.ts";
import type { ReplayClient } from "./replay.ts";

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
