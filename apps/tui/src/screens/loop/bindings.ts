import type { LoopState } from "@ccw-loop/core";
import { requestQuit } from "../../model/leaving.ts";
import { type Model, openedState } from "../../model/model.ts";
import { popScreen, replaceScreen } from "../../model/stack.ts";
import { backBinding } from "../moving.ts";
import type { Binding } from "../screen.ts";
import { searches } from "./content.ts";
import { controlBindings } from "./control.ts";
import { focusBindings } from "./focus.ts";
import { lookBindings } from "./look.ts";
import { cleared, searchBindings, searchingBindings } from "./searching.ts";
import type { LoopScreenState } from "./state.ts";

/** Every key that means something now, the most needed ones first. */
export function loopBindings(screen: LoopScreenState, model: Model): readonly Binding[] {
  if (screen.searching) return searchingBindings(screen);
  const state: LoopState | undefined = openedState(model);
  const back = backBinding("loop", (from) => leaveLoop(screen, from));
  if (!state) return [back];
  return [
    ...controlBindings(screen, state, model),
    ...lookBindings(state),
    ...searchBindings(screen),
    ...focusBindings(screen, model),
    back,
    { id: "loop.quit", keys: ["q"], label: "quit", footer: false, run: requestQuit },
  ];
}

/** First out of the search, then out of the zoom, then out of the loop. */
function leaveLoop(screen: LoopScreenState, model: Model) {
  if (searches(screen)) return { model: replaceScreen(model, cleared(screen)) };
  if (screen.zoomed) return { model: replaceScreen(model, { ...screen, zoomed: false }) };
  return { model: popScreen(model), effects: [{ type: "follow" as const, id: null }] };
}
