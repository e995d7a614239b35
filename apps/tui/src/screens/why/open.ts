import type { Model } from "../../model/model.ts";
import { pushScreen } from "../../model/stack.ts";
import type { Step } from "../screen.ts";

/** Asks why the loop does what it does, and shows it. */
export function openWhy(model: Model, id: string): Step {
  return {
    model: pushScreen(model, { kind: "why", id, why: null, scroll: 0 }),
    effects: [{ type: "call", call: { name: "why", id } }],
  };
}
