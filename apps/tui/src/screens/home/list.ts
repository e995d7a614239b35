import { type Entry, isDamaged, type Loops, type Order, orderOf } from "@ccw-loop/view";
import { emptyField } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import type { HomeState } from "../../model/screen-states.ts";
import { type Move, moved } from "../../model/scroll.ts";

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

/** From so many columns on the selected loop stands beside the list. */
const WIDE = 120;

export function isWide({ size, previews }: Pick<Model, "size" | "previews">): boolean {
  return previews && size.columns >= WIDE;
}

/** The id of the loop that is to be shown beside the list; null where there is no room, or none. */
export function wantedPreview(state: HomeState, model: Model): string | null {
  const entry = isWide(model) ? selectedEntry(state, model.loops) : undefined;
  return entry === undefined || isDamaged(entry) ? null : entry.id;
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
