import type { Activity as ActivityRecord } from "@ccw-loop/core";
import { nothingUnended, type Unended, unendedLine, withRecord } from "./activity-lines.ts";

/** The end of what the agent or the tests do right now; bounded, whatever they print. */
export interface Activity {
  /** Whole lines, and the one that is still being written. */
  lines: readonly string[];
  ended: readonly string[];
  unended: Unended;
}

export const noActivity: Activity = { lines: [], ended: [], unended: nothingUnended };

const LINES_KEPT = 12;

/** The activity after one more record. */
export function withActivity(before: Activity, record: ActivityRecord): Activity {
  const ended = [...before.ended];
  const unended = withRecord(before.unended, record, ({ text }) => ended.push(text));
  const open = unendedLine(unended);
  const kept = ended.slice(-LINES_KEPT);
  return { ended: kept, unended, lines: open ? [...kept, open.text].slice(-LINES_KEPT) : kept };
}
