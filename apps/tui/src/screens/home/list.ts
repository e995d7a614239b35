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

/** Stands above the entries of a health, on a line of its own. */
export interface Head {
  health: Health | "damaged";
  count: number;
}

/** The list under one sort, filter and search. */
export interface Order {
  entries: readonly Entry[];
  /** The entries with the heads above them. */
  lines: readonly (Head | Entry)[];
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

/** The number of an entry; -1 when it is not there. */
function numberOf({ entries }: Order, id: string): number {
  return entries.findIndex((entry) => entry.id === id);
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

const sortings = new WeakMap<Rows, Partial<Record<Sort, readonly Row[]>>>();

/** All rows in an order; the same array for the same rows. */
export function sortedRows(rows: Rows, sort: Sort): readonly Row[] {
  const known = sortings.get(rows) ?? {};
  const sorted = known[sort] ?? [...rows.values()].sort(ORDERS[sort]);
  sortings.set(rows, { ...known, [sort]: sorted });
  return sorted;
}
