import { emptyField, type Field } from "../../model/field.ts";
import type { Health } from "../../model/row.ts";

export const SORTS = ["health", "newest", "oldest", "name"] as const;

export interface HomeState {
  kind: "home";
  /** Null: the first one. */
  selected: string | null;
  /** Where the selected one was when it was selected: when it is gone, the one that is there now is selected. */
  at: number;
  /** Newest and oldest: by the time of the last change. */
  sort: (typeof SORTS)[number];
  /** Null: all. */
  health: Health | "damaged" | null;
  /** What the search field holds; `searching` while it has the keys. */
  search: Field;
  searching: boolean;
}

export const startOfHome: HomeState = {
  kind: "home",
  selected: null,
  at: 0,
  sort: "health",
  health: null,
  search: emptyField,
  searching: false,
};
