import type { Model } from "../../model/model.ts";
import { pushScreen } from "../../model/stack.ts";
import type { Step } from "../screen.ts";

/** Asks for what changed between two checkpoints, and shows it. */
export function openDiff(model: Model, id: string, range: { from: number; to: number }): Step {
  return {
    model: pushScreen(model, { kind: "diff", id, ...range, content: null, scroll: 0 }),
    effects: [{ type: "call", call: { name: "diff", id, ...range } }],
  };
}
