import type { Model } from "../../model/model.ts";
import { pushed } from "../../model/stack.ts";
import type { Step } from "../screen.ts";
import { newForm } from "./spec.ts";

export function openCreate(model: Model): Step {
  return { model: pushed(model, newForm(model.place)) };
}
