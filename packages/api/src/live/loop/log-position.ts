import type { Activity } from "@ccw-loop/core";
import type { ActivityPosition } from "./position.ts";
import { shortDigest } from "./short-digest.ts";

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
