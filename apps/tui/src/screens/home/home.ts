import { ACCEPTED_FROM, counted, type LoopCommand } from "@ccw-loop/core";
import { type Entry, HEALTHS, isDamaged, overviewOf } from "@ccw-loop/view";
import type { BindingId } from "../../keys/defaults.ts";
import { calling, sending } from "../../model/effect.ts";
import { edited, emptyField } from "../../model/field.ts";
import { type Model, replaceScreen, withNotice } from "../../model/model.ts";
import type { Binding, Screen, Step } from "../../model/screen.ts";
import { type ConfirmState, type HomeState, SORTS } from "../../model/screen-states.ts";
import { bodyOf, type Move } from "../../model/scroll.ts";
import { asking, changing, movingBindings, opening, requestQuit } from "../bindings.ts";
import { stopConfirmation } from "../confirm.tsx";
import { openCreate } from "../create/create.tsx";
import { openDoctor } from "../doctor.ts";
import { openLoop } from "../loop/navigation.ts";
import { listOf, selectedEntry, selecting, stepped } from "./list.ts";
import { nextStep } from "./next-step.ts";
import { HomeView, homePlain, listRows, recoveryText } from "./view.tsx";

export const homeScreen: Screen<HomeState> = {
  title: (_, { loops }) => counted(loops.total, "loop"),
  place: "full",
  bindings: homeBindings,
  usual: [
    { id: "home.start", label: "start" },
    { id: "home.pause", label: "pause" },
    { id: "home.stop", label: "stop" },
    { id: "home.delete", label: "delete" },
  ],
  typed(state, press, model) {
    const search = state.searching ? edited(state.search, press) : undefined;
    if (search === undefined) return { model };
    // What is found may be anywhere: the first of it is selected.
    const moved = search.text === state.search.text ? {} : { selected: null, at: 0 };
    return { model: replaceScreen(model, { ...state, ...moved, search }) };
  },
  clicked(state, { index }, model) {
    const item = listOf(state, model.loops).lines[index];
    if (item === undefined || "count" in item) return { model };
    return { model: replaceScreen(model, selecting(state, model.loops, item.id)) };
  },
  View: HomeView,
  plain: homePlain,
};

function homeBindings(state: HomeState, model: Model): readonly Binding[] {
  return state.searching ? searchBindings(state) : listBindings(state, model);
}

function listBindings(state: HomeState, model: Model): readonly Binding[] {
  const entry = selectedEntry(state, model.loops);
  const step = nextStep(model);
  const { id } = step ?? {};
  const narrowed = state.health !== null || state.search.text !== "";
  const set = (id: BindingId, label: string, change: Partial<HomeState>): Binding => {
    return { id, label, group: "List", run: changing({ ...state, ...change }) };
  };
  return [
    ...(entry === undefined ? [] : [openBinding(entry)]),
    { id: "home.new", label: "new", group: "Loops", run: openCreate },
    ...(entry === undefined ? [] : loopBindings(entry, model)),
    ...(step?.binding === "home.next" && id != null ? [nextBinding(state, id)] : []),
    set("home.search", "search", { searching: true }),
    { id: "home.quit", label: "quit", group: "Program", run: requestQuit },
    set("home.filter", "filter", { health: after(healthsOf(model), state.health) }),
    set("home.sort", "sort", { sort: after(SORTS, state.sort) }),
    ...(narrowed ? [set("home.all", "show all", { health: null, search: emptyField })] : []),
    { id: "home.doctor", label: "doctor", group: "Program", run: openDoctor },
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
    label: "open",
    group: "Loops",
    run(model) {
      if (!isDamaged(entry)) return openLoop(model, entry.id);
      return { model: withNotice(model, recoveryText(entry, model), "bad") };
    },
  };
}

/** Selects the loop that the next step is about, and opens it. */
function nextBinding(state: HomeState, loop: string): Binding {
  const run = (model: Model) =>
    openLoop(replaceScreen(model, selecting(state, model.loops, loop)), loop);
  return { id: "home.next", label: "next step", group: "Loops", footer: false, run };
}

function toward(state: HomeState, model: Model, move: Move): Step {
  const page = listRows(bodyOf(model.size));
  return { model: replaceScreen(model, stepped(state, model.loops, { move, page })) };
}

/** While the search field has the keys only those that type nothing move. */
function searchBindings(state: HomeState): readonly Binding[] {
  const close = (change: Partial<HomeState>) => changing({ ...state, ...change, searching: false });
  const moves = ["up", "down", "pageup", "pagedown"] as const;
  return [
    { id: "home.found", label: "to the list", group: "Search", run: close({}) },
    { id: "home.clear", label: "clear", group: "Search", run: close({ search: emptyField }) },
    ...moves.map((move): Binding => {
      const run = (now: Model) => toward(state, now, move);
      return { id: `home.search-${move}`, label: move, group: "Search", footer: false, run };
    }),
  ];
}

/** What may be asked of the selected loop as it stands. */
export function loopBindings(entry: Entry, { driven, place }: Model): readonly Binding[] {
  const { id } = entry;
  const row = isDamaged(entry) ? undefined : entry;
  const { title = id, status } = row ?? {};
  const takes = (command: LoopCommand["type"]) =>
    status !== undefined && ACCEPTED_FROM[command].includes(status);
  const waits = row?.health === "waiting";
  const idle = status === "running" && place.drives && !driven.has(id) && !waits;
  const drives = takes("start") || takes("resume") || idle;
  const bindings: Binding[] = [];
  const add = (id: BindingId, label: string, run: Binding["run"]) =>
    bindings.push({ id, label, group: "Loops", run });

  if (drives) {
    const label = status === "created" ? "start" : status === "running" ? "drive" : "resume";
    add(label === "drive" ? "home.drive" : "home.start", label, asking({ type: "drive", id }));
  }
  if (takes("pause")) {
    add("home.pause", "pause", asking(sending(id, { type: "pause" })));
  }
  if (takes("stop")) {
    add("home.stop", "stop", opening(stopConfirmation({ id, title })));
  }
  if (status !== "running" && !driven.has(id)) {
    add("home.delete", "delete", opening(deleteConfirmation(id, title)));
  }
  return bindings;
}

function deleteConfirmation(id: string, title: string): ConfirmState {
  return {
    kind: "confirm",
    question: `Delete "${title}"?`,
    details: [
      "Its journal, receipts, logs, checkpoints and worktree are gone then, for good.",
      `Files that it changed in the project stay. Loop ${id}`,
    ],
    verb: "delete",
    yes: [calling({ name: "delete", id })],
  };
}
