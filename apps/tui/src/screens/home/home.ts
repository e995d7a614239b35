import { edited } from "../../model/field.ts";
import { replaceScreen } from "../../model/stack.ts";
import type { Screen } from "../screen.ts";
import { homeBindings } from "./bindings.ts";
import { homeLines } from "./lines.ts";
import { homePlain } from "./plain.ts";
import type { HomeState } from "./state.ts";

export const homeScreen: Screen<HomeState> = {
  title: (_, { loops }) => (loops.total === 1 ? "1 loop" : `${loops.total} loops`),
  place: "full",
  bindings: homeBindings,
  typed(state, press, model) {
    const search = state.searching ? edited(state.search, press) : undefined;
    if (search === undefined) return { model };
    // What is found may be anywhere: the first of it is selected.
    const moved = search.text === state.search.text ? {} : { selected: null, at: 0 };
    return { model: replaceScreen(model, { ...state, ...moved, search }) };
  },
  lines: homeLines,
  plain: homePlain,
};
