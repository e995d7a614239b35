import type { Model } from "../../model/model.ts";
import { pushScreen } from "../../model/stack.ts";
import type { Step } from "../screen.ts";

export function openReceipt(model: Model, id: string): Step {
  return { model: pushScreen(model, { kind: "receipt", id, check: null, scroll: 0 }) };
}
