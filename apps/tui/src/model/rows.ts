import type { LoopState } from "@ccw-loop/core";
import type { Message } from "./message.ts";
import type { Loops } from "./model.ts";
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
