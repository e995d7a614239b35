import type { Activity as ActivityRecord } from "@ccw-loop/core";
import { noOpenLine, type OpenLine, openLineText, withRecord } from "./activity-lines.ts";

/** The end of what the agent or the tests do right now; bounded, whatever they print. */
export interface ActivityTail {
  /** Whole lines, and the one that is still being written. */
  lines: readonly string[];
  ended: readonly string[];
  openLine: OpenLine;
}

export const emptyActivityTail: ActivityTail = { lines: [], ended: [], openLine: noOpenLine };

const LINES_KEPT = 12;

/** The activity after one more record. */
export function withActivity(before: ActivityTail, record: ActivityRecord): ActivityTail {
  const ended = [...before.ended];
  const unended = withRecord(before.openLine, record, ({ text }) => ended.push(text));
  const open = openLineText(unended);
  const kept = ended.slice(-LINES_KEPT);
  return {
    ended: kept,
    openLine: unended,
    lines: open ? [...kept, open.text].slice(-LINES_KEPT) : kept,
  };
}
