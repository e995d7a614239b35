import type { Loops } from "../../model/model.ts";
import type { Health, Row } from "../../model/row.ts";
import { sortedRows } from "./sorted.ts";
import type { HomeState } from "./state.ts";

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
