import type { Model } from "../../model/model.ts";
import { pushed } from "../../model/stack.ts";
import type { Step } from "../screen.ts";

export function openReceipt(model: Model, id: string): Step {
  return { model: pushed(model, { kind: "receipt", id, check: null, scroll: 0 }) };
}
