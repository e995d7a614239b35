import type { Loops } from "../../model/model.ts";
import { HEALTHS, type Health, type Row } from "../../model/row.ts";
import type { HomeState } from "./state.ts";

type Rows = Loops["rows"];
type Sort = HomeState["sort"];
type Compare = (a: Row, b: Row) => number;

const RANK = Object.fromEntries(HEALTHS.map((health, i) => [health, i])) as Record<Health, number>;
const names = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

const byId: Compare = (a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
const byNewest: Compare = (a, b) => b.updatedAt - a.updatedAt || byId(a, b);

const ORDERS: Readonly<Record<Sort, Compare>> = {
  health: (a, b) => RANK[a.health] - RANK[b.health] || byNewest(a, b),
  newest: byNewest,
  oldest: (a, b) => a.updatedAt - b.updatedAt || byId(a, b),
  name: (a, b) => names.compare(a.title, b.title) || byId(a, b),
};

/** The last order of each kind: nothing but a shorter way to the next one, which differs by a few loops. */
const latest = new Map<Sort, { rows: Rows; sorted: readonly Row[] }>();

/** All rows in an order; the same array for the same rows. */
export function sortedRows(rows: Rows, sort: Sort): readonly Row[] {
  const before = latest.get(sort);
  if (before?.rows === rows) return before.sorted;
  const sorted = before
    ? resorted(rows, before, ORDERS[sort])
    : [...rows.values()].sort(ORDERS[sort]);
  latest.set(sort, { rows, sorted });
  return sorted;
}

/** What stayed the same is in order already; the others are put in between. */
function resorted(
  rows: Rows,
  before: { rows: Rows; sorted: readonly Row[] },
  compare: Compare,
): Row[] {
  const others: Row[] = [];
  for (const [id, row] of rows) {
    if (before.rows.get(id) !== row) others.push(row);
  }
  const same = before.sorted.filter((row) => rows.get(row.id) === row);
  return merged(same, others.sort(compare), compare);
}

function merged(a: readonly Row[], b: readonly Row[], compare: Compare): Row[] {
  const all: Row[] = [];
  let next = 0;
  for (const row of a) {
    for (let one = b[next]; one !== undefined && compare(one, row) < 0; one = b[next]) {
      all.push(one);
      next += 1;
    }
    all.push(row);
  }
  return all.concat(b.slice(next));
}
