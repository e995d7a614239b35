import { type Move, moved } from "../../components/panel.ts";
import { emptyField } from "../../model/field.ts";
import type { Loops } from "../../model/model.ts";
import { HEALTHS, type Health, type Row } from "../../model/row.ts";
import type { HomeState } from "../../model/screen-states.ts";

/** A loop that cannot be read. */
export type Damaged = Loops["damaged"][number];

/** What can be selected. */
export type Entry = Row | Damaged;

export function isDamaged(entry: Entry): entry is Damaged {
  return "reason" in entry;
}

/** Stands above the entry with the number `at`, and has a line of its own. */
export interface Head {
  health: Health | "damaged";
  count: number;
  at: number;
}

/** The list under one sort, filter and search. */
export interface Order {
  entries: readonly Entry[];
  heads: readonly Head[];
}

export type Wanted = Pick<HomeState, "sort" | "health"> & { search: string };

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
  const all = sortedRows(rows, sort);
  const fitting =
    health === null && words.length === 0
      ? all
      : all.filter((row) => (health === null || row.health === health) && has(row.haystack));
  const shown = health === null || health === "damaged";
  const broken = shown ? damaged.filter(({ id }) => has(id.toLowerCase())) : [];
  return {
    entries: broken.length > 0 ? [...fitting, ...broken] : fitting,
    heads: [
      ...(sort === "health" ? headsOf(fitting) : []),
      ...(broken.length > 0
        ? [{ health: "damaged" as const, count: broken.length, at: fitting.length }]
        : []),
    ],
  };
}

/** Of rows that are sorted by health. */
function headsOf(rows: readonly Row[]): Head[] {
  const heads: Head[] = [];
  for (const [at, { health }] of rows.entries()) {
    const last = heads.at(-1);
    if (last?.health === health) last.count += 1;
    else heads.push({ health, count: 1, at });
  }
  return heads;
}

/** The number of an entry; -1 when it is not there. */
export function numberOf({ entries }: Order, id: string): number {
  return entries.findIndex((entry) => entry.id === id);
}

/** How many lines the list has. */
export function lineCount({ entries, heads }: Order): number {
  return entries.length + heads.length;
}

/** The line of the entry with that number. */
export function lineOf({ heads }: Order, number: number): number {
  return number + heads.filter(({ at }) => at <= number).length;
}

/** What stands on the lines from `first` on, at most so many. */
export function itemsFrom(
  { entries, heads }: Order,
  first: number,
  count: number,
): (Head | Entry)[] {
  const items: (Head | Entry)[] = [];
  // Heads that lie before; the others are met on the way.
  let above = heads.filter(({ at }, i) => at + i < first).length;
  for (let line = first; items.length < count; line += 1) {
    const head = heads[above];
    const isHead = head !== undefined && head.at + above === line;
    const item = isHead ? head : entries[line - above];
    if (item === undefined) break;
    if (isHead) above += 1;
    items.push(item);
  }
  return items;
}

/** The list as this state wants it. */
export function listOf({ sort, health, search }: HomeState, loops: Loops): Order {
  return orderOf(loops, { sort, health, search: search.text });
}

/** The number of the selected entry; -1 where there is none. */
export function numberOfSelected({ selected, at }: HomeState, order: Order): number {
  const known = selected === null ? 0 : numberOf(order, selected);
  return Math.min(known < 0 ? at : known, order.entries.length - 1);
}

export function selectedEntry(state: HomeState, loops: Loops): Entry | undefined {
  const order = listOf(state, loops);
  return order.entries[numberOfSelected(state, order)];
}

/** With another one selected; a page is so many entries. */
export function stepped(state: HomeState, loops: Loops, { move, page }: Stepping): HomeState {
  const order = listOf(state, loops);
  const last = order.entries.length - 1;
  const at = moved(numberOfSelected(state, order), move, { page, last });
  const entry = order.entries[at];
  return entry === undefined ? state : { ...state, selected: entry.id, at };
}

interface Stepping {
  move: Move;
  page: number;
}

/** With that loop selected; filter and search give way where they hide it. */
export function selecting(state: HomeState, loops: Loops, id: string): HomeState {
  const at = numberOf(listOf(state, loops), id);
  if (at >= 0) return { ...state, selected: id, at };
  const shown: HomeState = { ...state, health: null, search: emptyField };
  return { ...shown, selected: id, at: Math.max(0, numberOf(listOf(shown, loops), id)) };
}

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

/** What stayed the same is in order already. */
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
  // A list that is nearly in order is sorted in about one pass.
  return [...same, ...others].sort(compare);
}
