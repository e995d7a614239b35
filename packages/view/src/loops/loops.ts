import type { Driver, LiveEvent, LoopSummary, SummaryChange } from "@ccw-loop/core";
import { type AgentLog, emptyAgentLog, withActivity } from "../loop/activity.ts";
import { applyEvent, type Progress } from "../loop/progress.ts";
import { type LoopRow, rowOf, undrivenRow } from "./row.ts";

export interface Loops {
  rows: ReadonlyMap<string, LoopRow>;
  /** How many there are in all; more than `rows` while they are still read. */
  total: number;
  damaged: readonly { id: string; reason: string }[];
  complete: boolean;
}

/** The loop that is followed. Null progress: it is still read. */
export interface FollowedLoop {
  id: string;
  progress: Progress | null;
  log: AgentLog;
  /** Who drives it, as the service or an action said last; undefined until one did. */
  driver: Driver | undefined;
  /** It was deleted, or cannot be read. */
  gone: string | null;
}

export type LoopsMessage =
  /** Loops as they were read; `complete` when no more will come of this reading. */
  | {
      type: "listed";
      summaries: readonly LoopSummary[];
      total: number;
      damaged: readonly { id: string; reason: string }[];
      complete: boolean;
      /** Every loop that a whole reading found: others are gone. */
      ids?: ReadonlySet<string>;
    }
  /** The loops that nobody drives although they are to be driven, by since when (RFC 3339), and those that cannot be read. */
  | { type: "looked"; undriven: ReadonlyMap<string, string>; damaged: Loops["damaged"] }
  /** What changed, was made or deleted, in that order. */
  | { type: "changed"; changes: readonly SummaryChange[] };

export type FollowedMessage =
  | { type: "opened"; id: string; progress: Progress }
  /** Facts and activity of the followed loop, at most ten times a second; `leftOut` records of activity were too many. */
  | { type: "happened"; id: string; events: readonly LiveEvent[]; leftOut: number }
  | { type: "unopened"; id: string; reason: string };

export const noLoops: Loops = { rows: new Map(), total: 0, damaged: [], complete: false };

/** With what was read of the list. What is known newer already stays. */
export function withListed(
  before: Loops,
  { summaries, total, damaged, complete, ids }: Extract<LoopsMessage, { type: "listed" }>,
): Loops {
  const rows = new Map(before.rows);
  for (const summary of summaries) if (isNews(rows, summary)) rows.set(summary.id, rowOf(summary));
  if (ids) for (const id of before.rows.keys()) if (!ids.has(id)) rows.delete(id);
  return { rows, total: Math.max(total, rows.size), damaged, complete };
}

/** With loops as they are now. What is known newer already stays, and what was deleted goes. */
export function withChanged(before: Loops, changes: readonly SummaryChange[]): Loops {
  const rows = new Map(before.rows);
  let { total } = before;
  for (const { id, summary } of changes) {
    if (summary === null) total -= rows.delete(id) ? 1 : 0;
    else if (isNews(rows, summary)) {
      total += rows.has(id) ? 0 : 1;
      rows.set(id, rowOf(summary));
    }
  }
  return { ...before, rows, total: Math.max(rows.size, total) };
}

function isNews(rows: Loops["rows"], { id, revision }: LoopSummary): boolean {
  return revision > (rows.get(id)?.revision ?? -1);
}

/** With what a look found: since when nobody drives a loop, by its id, and what cannot be read. */
export function withLooked(
  before: Loops,
  { undriven, damaged }: Extract<LoopsMessage, { type: "looked" }>,
): Loops {
  const same = JSON.stringify(damaged) === JSON.stringify(before.damaged);
  return undrivenAmong(same ? before : { ...before, damaged }, undriven);
}

/** With since when nobody drives a loop, by its id; every other one is driven, or need not be. */
function undrivenAmong(before: Loops, since: ReadonlyMap<string, string>): Loops {
  let rows: Map<string, LoopRow> | undefined;
  for (const [id, row] of before.rows) {
    const now = undrivenRow(row, since.get(id) ?? null);
    if (now === row) continue;
    rows ??= new Map(before.rows);
    rows.set(id, now);
  }
  return rows === undefined ? before : { ...before, rows };
}

/** A loop that is to be followed, before anything of it is read. */
export function newFollowedLoop(id: string): FollowedLoop {
  return { id, progress: null, log: emptyAgentLog, driver: undefined, gone: null };
}

/** With its past. The agent's lines stay when it is read again after a gap. */
export function withPast(
  before: FollowedLoop,
  { progress }: Extract<FollowedMessage, { type: "opened" }>,
): FollowedLoop {
  return { ...before, progress, gone: null };
}

export function withEvents(
  before: FollowedLoop,
  { events, leftOut }: Extract<FollowedMessage, { type: "happened" }>,
): FollowedLoop {
  if (before.progress === null) return before;
  const facts = events.filter((event) => event.kind === "recorded");
  const begun = facts.findLast(({ recorded }) => recorded.event.type === "action.started");
  return {
    ...before,
    progress: facts.reduce<Progress>(applyEvent, before.progress),
    log: withActivity(before.log, activityOf(events), { leftOut }),
    // Who begins an action of a loop drives it.
    driver: begun ? { driven_by: begun.recorded.actor, undriven_since: null } : before.driver,
  };
}

function activityOf(events: readonly LiveEvent[]) {
  return events.flatMap((event) => (event.kind === "activity" ? [event.activity] : []));
}
