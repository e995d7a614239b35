import type { Driver, LiveEvent, LoopState } from "@ccw-loop/core";
import { type AgentLog, emptyAgentLog, withActivity } from "../loop/activity.ts";
import { applyEvent, type Progress } from "../loop/progress.ts";
import { type LoopRow, rowOf, undrivenRow } from "./row.ts";

/** The loops of a place, as summaries. */
export interface Loops {
  rows: ReadonlyMap<string, LoopRow>;
  /** How many there are in all; more than `rows` while they are still read. */
  total: number;
  /** Those that cannot be read. */
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

/** What a feed tells of all loops. */
export type LoopsMessage =
  /** Loops as they were read; `complete` when no more will come of this reading. */
  | {
      type: "listed";
      states: readonly LoopState[];
      total: number;
      damaged: readonly { id: string; reason: string }[];
      complete: boolean;
      /** Every loop that a whole reading found: others are gone. */
      ids?: ReadonlySet<string>;
    }
  /** The loops that nobody drives although they are to be driven, by since when (RFC 3339). */
  | { type: "undriven"; since: ReadonlyMap<string, string> }
  /** A loop changed, or (null) is gone. */
  | { type: "changed"; id: string; state: LoopState | null };

/** What a feed tells of the loop that is followed. */
export type FollowedMessage =
  | { type: "opened"; id: string; progress: Progress }
  /** Facts and activity of the followed loop, at most ten times a second; `leftOut` records of activity were too many. */
  | { type: "happened"; id: string; events: readonly LiveEvent[]; leftOut: number }
  | { type: "unopened"; id: string; reason: string };

export const noLoops: Loops = { rows: new Map(), total: 0, damaged: [], complete: false };

/** With what was read of the list. What is known newer already stays. */
export function withListed(
  before: Loops,
  { states, total, damaged, complete, ids }: Extract<LoopsMessage, { type: "listed" }>,
): Loops {
  const rows = new Map(before.rows);
  for (const state of states) {
    const known = before.rows.get(state.loop_id);
    if (known === undefined || known.revision < (state.revision ?? 0)) {
      rows.set(state.loop_id, rowOf(state));
    }
  }
  if (ids) for (const id of before.rows.keys()) if (!ids.has(id)) rows.delete(id);
  return { rows, total: Math.max(total, rows.size), damaged, complete };
}

/** With a loop as it is now; null: it is gone. */
export function withChanged(before: Loops, id: string, state: LoopState | null): Loops {
  const known = before.rows.has(id);
  if (state === null && !known) return before;
  const rows = new Map(before.rows);
  if (state === null) rows.delete(id);
  else rows.set(id, rowOf(state));
  const more = state === null ? -1 : known ? 0 : 1;
  return { ...before, rows, total: Math.max(rows.size, before.total + more) };
}

/** With since when nobody drives a loop, by its id; every other one is driven, or need not be. */
export function undrivenAmong(before: Loops, since: ReadonlyMap<string, string>): Loops {
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

/** With what happened since. */
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
