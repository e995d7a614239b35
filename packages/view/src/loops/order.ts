import type { Loops } from "./loops.ts";
import { HEALTHS, type Health, type LoopRow } from "./row.ts";

export type Sort = "health" | "newest" | "oldest" | "name";

/** A loop that cannot be read. */
export type Damaged = Loops["damaged"][number];

export type Entry = LoopRow | Damaged;

export function isDamaged(entry: Entry): entry is Damaged {
  return "reason" in entry;
}

/** Stands above the entries of a health, on a line of its own. */
export interface Head {
  health: Health | "damaged";
  count: number;
}

/** The list under one sort, filter and search. */
export interface Order {
  entries: readonly Entry[];
  lines: readonly (Head | Entry)[];
}

/** What is listed: loops of one health or of all, that have every word of the search. */
export interface Wanted {
  sort: Sort;
  health: Health | "damaged" | null;
  search: string;
}

interface Known extends Wanted {
  damaged: Loops["damaged"];
  order: Order;
}

/** One order for the same rows: moving the selection sorts nothing, and who types a search asks for each only once. */
const orders = new WeakMap<Loops["rows"], Known>();

export function orderOf({ rows, damaged }: Loops, wanted: Wanted): Order {
  const known = orders.get(rows);
  const same =
    known?.damaged === damaged &&
    known.sort === wanted.sort &&
    known.health === wanted.health &&
    known.search === wanted.search;
  if (same) return known.order;
  const order = ordered(rows, damaged, wanted);
  orders.set(rows, { ...wanted, damaged, order });
  return order;
}

function ordered(rows: Loops["rows"], damaged: Loops["damaged"], wanted: Wanted): Order {
  const { sort, health, search } = wanted;
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (haystack: string) => words.every((word) => haystack.includes(word));
  const fitting = sortedRows(rows, sort).filter(
    (row) => (health === null || row.health === health) && has(row.haystack),
  );
  const shown = health === null || health === "damaged";
  const broken = shown ? damaged.filter(({ id }) => has(id.toLowerCase())) : [];
  const entries = [...fitting, ...broken];
  return { entries, lines: withHeads(entries, sort) };
}

/** What cannot be read has a head under every sort; the healths have theirs where they are together. */
function withHeads(entries: readonly Entry[], sort: Sort): (Head | Entry)[] {
  const lines: (Head | Entry)[] = [];
  let head: Head | undefined;
  for (const entry of entries) {
    const health = isDamaged(entry) ? "damaged" : sort === "health" ? entry.health : undefined;
    if (health !== undefined && health !== head?.health) {
      head = { health, count: 0 };
      lines.push(head);
    }
    if (head !== undefined) head.count += 1;
    lines.push(entry);
  }
  return lines;
}

type Rows = Loops["rows"];
type Compare = (a: LoopRow, b: LoopRow) => number;

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

const sortings = new WeakMap<Rows, Partial<Record<Sort, readonly LoopRow[]>>>();

/** All rows in an order; the same array for the same rows. */
export function sortedRows(rows: Rows, sort: Sort): readonly LoopRow[] {
  const known = sortings.get(rows) ?? {};
  const sorted = known[sort] ?? [...rows.values()].sort(ORDERS[sort]);
  sortings.set(rows, { ...known, [sort]: sorted });
  return sorted;
}

/** All loops in short, whatever is filtered and searched for. */
export interface Overview {
  counts: Readonly<Record<Health, number>>;
  /** The loop that needs a person most; of equal ones that of the newest change. Undefined: none does. */
  urgent: LoopRow | undefined;
}

const overviews = new WeakMap<Loops["rows"], Overview>();

export function overviewOf(rows: Loops["rows"]): Overview {
  const known = overviews.get(rows);
  if (known) return known;
  const counts = { waiting: 0, stuck: 0, undriven: 0, running: 0, failed: 0, resting: 0, done: 0 };
  for (const { health } of rows.values()) counts[health] += 1;
  const urgent = sortedRows(rows, "health").find(needsPerson);
  const overview = { counts, urgent };
  overviews.set(rows, overview);
  return overview;
}

/** What an operator ended is done with. */
function needsPerson({ health, outcome }: LoopRow): boolean {
  return health !== "running" && health !== "done" && outcome !== "stopped_by_user";
}
