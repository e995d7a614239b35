import type { LoopState } from "@ccw-loop/core";
import { shortDigest } from "./short-digest.ts";

/** The last fact that was delivered. `index`: its number within its commit; Infinity when the whole commit was. */
export interface FactPosition {
  revision: number;
  index: number;
}

/**
 * The last record of agent.log that was delivered. Records are in the order of the log, not of their times, since a
 * clock may be set back: `ms` is the latest time of all records up to this one, `n` counts the records from the
 * first with that time on, `digest` tells whether it is the same record. `n` 0: none of that time was delivered.
 */
export interface ActivityPosition {
  ms: number;
  n: number;
  digest: string;
}

/** How far a listener of one loop is. */
export interface LoopPosition {
  fact: FactPosition;
  activity: ActivityPosition;
}

/** Before every record of a log. */
export const LOG_START: ActivityPosition = { ms: 0, n: 0, digest: "" };

/** Where somebody was in the stream of a loop. */
export interface StreamPosition {
  position: LoopPosition;
  /** `birthOf` that loop; undefined when whoever wrote it did not know. */
  birth?: string | undefined;
}

/** Before everything. */
export const BEGINNING: LoopPosition = {
  fact: { revision: 0, index: Number.POSITIVE_INFINITY },
  activity: LOG_START,
};

/** Tells a loop from another that had its id before. */
export function incarnationOf({ created_at }: Pick<LoopState, "created_at">): string {
  return shortDigest(created_at);
}

/** `12.0~1795174395629.3.9f2c1a7b~07a1b2c3`; a commit that was delivered whole has no index. */
export function formatPlace({ position, birth }: StreamPosition): string {
  const { fact, activity } = position;
  const index = fact.index === Number.POSITIVE_INFINITY ? "" : `.${fact.index}`;
  const digest = activity.n === 0 ? "" : `.${activity.digest}`;
  const of = birth === undefined ? "" : `~${birth}`;
  return `${fact.revision}${index}~${activity.ms}.${activity.n}${digest}${of}`;
}

const FACT = /(\d{1,15})(?:\.(\d{1,15}))?/.source;
const RECORD = /(\d{1,15})\.(?:0|([1-9]\d{0,14})\.([0-9a-f]{8}))/.source;
const PLACE = new RegExp(`^${FACT}~${RECORD}(?:~([0-9a-f]{8}))?$`);

/** Null for text that is no place of ours. */
export function parsePlace(text: string): StreamPosition | null {
  const found = PLACE.exec(text);
  if (!found) return null;
  const [, revision, index, ms, n = "0", digest = "", birth] = found;
  const position: LoopPosition = {
    fact: {
      revision: Number(revision),
      index: index === undefined ? Number.POSITIVE_INFINITY : Number(index),
    },
    activity: { ms: Number(ms), n: Number(n), digest },
  };
  return { position, birth };
}

/** Whether `a` is behind `b` in the journal. */
export function isLaterFact(a: FactPosition, b: FactPosition): boolean {
  return a.revision === b.revision ? a.index > b.index : a.revision > b.revision;
}

/** Whether `a` is behind `b` in the log. */
export function isLaterActivity(a: ActivityPosition, b: ActivityPosition): boolean {
  return a.ms === b.ms ? a.n > b.n : a.ms > b.ms;
}

/** The later of both in each respect. */
export function furthest(a: LoopPosition, b: LoopPosition): LoopPosition {
  return {
    fact: isLaterFact(b.fact, a.fact) ? b.fact : a.fact,
    activity: isLaterActivity(b.activity, a.activity) ? b.activity : a.activity,
  };
}

/** Whether nothing that `to` has is missing at `from`. */
export function covers(from: LoopPosition, to: LoopPosition): boolean {
  return !isLaterFact(to.fact, from.fact) && !isLaterActivity(to.activity, from.activity);
}
