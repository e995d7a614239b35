import type { Activity, LoopState } from "@ccw-loop/core";

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

/** A record of agent.log with its place. */
export interface LogRecord {
  activity: Activity;
  position: ActivityPosition;
}

/** Counts the records of a log, from its beginning or from `start` on. */
export function logCounter(start: ActivityPosition): (activity: Activity) => LogRecord {
  let { ms, n } = start;
  return (activity) => {
    const at = timeOf(activity);
    if (at > ms) {
      ms = at;
      n = 0;
    }
    n += 1;
    return { activity, position: { ms, n, digest: shortDigest(activity) } };
  };
}

/** When a record was written; of a line that somebody else wrote, whatever stands there. */
export function timeText(activity: unknown): string {
  return String(Object(activity).at);
}

/** Milliseconds since 1970; 0 for a line of the log that somebody else wrote. */
function timeOf(activity: unknown): number {
  const ms = Date.parse(timeText(activity));
  return Number.isNaN(ms) ? 0 : ms;
}

/** What to deliver of the records of a log to somebody who had it up to a position. */
export interface Sought {
  records: readonly LogRecord[];
  /** The record that was delivered last is gone from the log, and so may others be that came behind it. */
  gap: boolean;
}

const NOTHING: Sought = { records: [], gap: false };

/**
 * Leaves out what is not behind `from`, for the records of a log in order. A log that was rotated meanwhile may begin
 * in the middle of the millisecond that `from` names; then the digest finds the record that was delivered last.
 */
export function logSeeker(from: ActivityPosition): (record: LogRecord | null) => Sought {
  let found = from.n === 0;
  let same: LogRecord[] = [];

  function resolve(): Sought {
    found = true;
    const last = same.findLastIndex(({ position }) => position.digest === from.digest);
    const records = same.slice(last + 1);
    same = [];
    return { records, gap: last < 0 };
  }

  /** `null`: the log has no more. */
  return (record) => {
    if (!record) return found ? NOTHING : resolve();
    const { ms, n, digest } = record.position;
    if (ms < from.ms) return NOTHING;
    if (found) return { records: [record], gap: false };
    if (ms > from.ms) {
      const { records, gap } = resolve();
      return { records: [...records, record], gap };
    }
    same.push(record);
    if (n < from.n) return NOTHING;
    if (digest !== from.digest) return resolve();
    found = true;
    same = [];
    return NOTHING;
  };
}

/** 32 bits (FNV-1a) in hexadecimal; it tells things apart, and protects from nothing. */
export function shortDigest(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}
