import type { Model } from "../../model/model.ts";
import { pushScreen } from "../../model/stack.ts";
import type { Step } from "../screen.ts";
import { loopScreenAt } from "./state.ts";

/** Shows a loop and follows it from now on. Looking starts nothing. */
export function openLoop(model: Model, id: string): Step {
  return {
    model: pushScreen(model, loopScreenAt(id)),
    effects: [
      { type: "follow", id },
      { type: "call", call: { name: "why", id } },
    ],
  };
}
