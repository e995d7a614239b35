import type { Model } from "../../model/model.ts";
import { pushScreen } from "../../model/stack.ts";
import type { Step } from "../screen.ts";
import { newForm } from "./spec.ts";

export function openCreate(model: Model): Step {
  return { model: pushScreen(model, newForm(model.place)) };
}
