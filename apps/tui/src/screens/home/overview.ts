import type { Loops } from "../../model/model.ts";
import type { Health, Row } from "../../model/row.ts";

/** All loops in short, whatever is filtered and searched for. */
export interface Overview {
  counts: Readonly<Record<Health, number>>;
  /** The loop that needs a person most; of equal ones that of the newest change. Undefined: none does. */
  urgent: Row | undefined;
}

const overviews = new WeakMap<Loops["rows"], Overview>();

export function overviewOf(rows: Loops["rows"]): Overview {
  const known = overviews.get(rows);
  if (known) return known;
  const overview = { counts: countsOf(rows.values()), urgent: mostUrgent(rows) };
  overviews.set(rows, overview);
  return overview;
}

export function countsOf(rows: Iterable<Row>): Record<Health, number> {
  const counts = { waiting: 0, stuck: 0, undriven: 0, running: 0, failed: 0, resting: 0, done: 0 };
  for (const { health } of rows) counts[health] += 1;
  return counts;
}

const URGENT: readonly Health[] = ["waiting", "stuck", "undriven", "failed", "resting"];

function mostUrgent(rows: Loops["rows"]): Row | undefined {
  let most: Row | undefined;
  let best = URGENT.length;
  for (const row of rows.values()) {
    const rank = URGENT.indexOf(row.health);
    // What an operator ended is done with.
    if (rank < 0 || rank > best || row.outcome === "stopped_by_user") continue;
    if (rank === best && most !== undefined && row.updatedAt <= most.updatedAt) continue;
    most = row;
    best = rank;
  }
  return most;
}
