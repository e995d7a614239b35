import type { LiveEvent, LoopState } from "@ccw-loop/core";
import { applyEvent, emptyAgentLog, type Progress, withActivity } from "@ccw-loop/view";
import type { FollowedLoop, Loops, Message } from "./model.ts";
import { type Row, rowOf, undrivenRow } from "./row.ts";

export const noLoops: Loops = { rows: new Map(), total: 0, damaged: [], complete: false };

/** With what was read of the list. What is known newer already stays. */
export function withListed(
  before: Loops,
  { states, total, damaged, complete, ids }: Extract<Message, { type: "listed" }>,
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
  let rows: Map<string, Row> | undefined;
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
  { progress }: Extract<Message, { type: "opened" }>,
): FollowedLoop {
  return { ...before, progress, gone: null };
}

/** With what happened since. */
export function withEvents(
  before: FollowedLoop,
  { events, leftOut }: Extract<Message, { type: "happened" }>,
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
