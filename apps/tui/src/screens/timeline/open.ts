import type { Effect } from "../../model/effect.ts";
import type { Model } from "../../model/model.ts";
import { pushScreen } from "../../model/stack.ts";
import type { Step } from "../screen.ts";

/** Asks for every action of the loop, and shows them with the newest one selected. */
export function openTimeline(model: Model, id: string): Step {
  return {
    model: pushScreen(model, { kind: "timeline", id, entries: null, selected: 0 }),
    effects: [askTimeline(id)],
  };
}

export function askTimeline(id: string): Effect {
  return { type: "call", call: { name: "timeline", id } };
}
