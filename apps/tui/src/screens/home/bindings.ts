import { bodyOf, type Move } from "../../frame/scroll.ts";
import { emptyField } from "../../model/field.ts";
import { requestQuit } from "../../model/leaving.ts";
import type { Model } from "../../model/model.ts";
import { HEALTHS } from "../../model/row.ts";
import { replaceScreen, withNotice } from "../../model/stack.ts";
import { openCreate } from "../create/opening.ts";
import { openDoctor } from "../doctor/opening.ts";
import { openLoop } from "../loop/open.ts";
import { movingBindings } from "../moving.ts";
import type { Binding, Step } from "../screen.ts";
import { recoveryText } from "./detail.ts";
import { DOCTOR, NEW, NEXT } from "./keys.ts";
import { listRows } from "./lines.ts";
import { loopBindings } from "./loop-bindings.ts";
import { nextStep } from "./next-step.ts";
import { type Entry, isDamaged } from "./order.ts";
import { overviewOf } from "./overview.ts";
import { selectedEntry, selecting, stepped } from "./selection.ts";
import { type HomeState, SORTS } from "./state.ts";

export function homeBindings(state: HomeState, model: Model): readonly Binding[] {
  return state.searching ? searchBindings(state) : listBindings(state, model);
}

function listBindings(state: HomeState, model: Model): readonly Binding[] {
  const entry = selectedEntry(state, model.loops);
  const step = nextStep(model);
  const { id } = step ?? {};
  const narrowed = state.health !== null || state.search.text !== "";
  const set = (id: string, key: string, label: string, change: Partial<HomeState>): Binding => ({
    id: `home.${id}`,
    keys: [key],
    label,
    group: "List",
    run: (now) => ({ model: replaceScreen(now, { ...state, ...change }) }),
  });
  return [
    ...(entry === undefined ? [] : [openBinding(entry)]),
    { ...NEW, label: "new", group: "Loops", run: openCreate },
    ...(entry === undefined ? [] : loopBindings(entry, model)),
    ...(step?.binding === "home.next" && id != null
      ? [
          {
            ...NEXT,
            label: "next step",
            group: "Loops",
            footer: false,
            run: (now: Model) => openNextStep(state, now, id),
          },
        ]
      : []),
    set("search", "/", "search", { searching: true }),
    { id: "home.quit", keys: ["q"], label: "quit", group: "Program", run: requestQuit },
    set("filter", "f", "filter", { health: after(healthsOf(model), state.health) }),
    set("sort", "o", "sort", { sort: after(SORTS, state.sort) }),
    ...(narrowed ? [set("all", "esc", "show all", { health: null, search: emptyField })] : []),
    { ...DOCTOR, label: "doctor", group: "Program", run: openDoctor },
    ...movingBindings("home", (move, now) => toward(state, now, move)),
  ];
}

/** What can be filtered for: everything, and each health that there is. */
function healthsOf({ loops }: Model): [HomeState["health"], ...HomeState["health"][]] {
  const { counts } = overviewOf(loops.rows);
  const some = HEALTHS.filter((health) => counts[health] > 0);
  return [null, ...some, ...(loops.damaged.length > 0 ? ["damaged" as const] : [])];
}

/** The value behind that one; behind the last comes the first. */
function after<T>(values: readonly [T, ...T[]], value: T): T {
  const next = values.indexOf(value) + 1;
  return next < values.length ? (values[next] as T) : values[0];
}

function openBinding(entry: Entry): Binding {
  return {
    id: "home.open",
    keys: ["enter"],
    label: "open",
    group: "Loops",
    run(model) {
      if (!isDamaged(entry)) return openLoop(model, entry.id);
      return { model: withNotice(model, recoveryText(entry, model), "bad") };
    },
  };
}

/** Selects the loop that the next step is about, and opens it. */
function openNextStep(state: HomeState, model: Model, id: string): Step {
  return openLoop(replaceScreen(model, selecting(state, model.loops, id)), id);
}

function toward(state: HomeState, model: Model, move: Move): Step {
  const page = listRows(bodyOf(model.size));
  return { model: replaceScreen(model, stepped(state, model.loops, { move, page })) };
}

/** While the search field has the keys only those that type nothing move. */
function searchBindings(state: HomeState): readonly Binding[] {
  const close = (id: string, key: string, label: string, change: Partial<HomeState>): Binding => ({
    id: `home.${id}`,
    keys: [key],
    label,
    group: "Search",
    run: (now) => ({ model: replaceScreen(now, { ...state, ...change, searching: false }) }),
  });
  const moves = ["up", "down", "pageup", "pagedown"] as const;
  return [
    close("found", "enter", "to the list", {}),
    close("clear", "esc", "clear", { search: emptyField }),
    ...moves.map(
      (move): Binding => ({
        id: `home.search-${move}`,
        keys: [move],
        label: move,
        group: "Search",
        footer: false,
        run: (now) => toward(state, now, move),
      }),
    ),
  ];
}
