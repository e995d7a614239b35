import type { Effect } from "../../model/effect.ts";
import type { Model } from "../../model/model.ts";
import { pushScreen } from "../../model/stack.ts";
import type { Step } from "../screen.ts";
import type { DoctorState } from "./state.ts";

export const doctorCall: Effect = { type: "call", call: { name: "doctor" } };

export const emptyDoctor: DoctorState = {
  kind: "doctor",
  findings: null,
  problem: null,
  scroll: 0,
};

/** Looks at once where this machine is the one that drives. */
export function openDoctor(model: Model): Step {
  return { model: pushScreen(model, emptyDoctor), effects: model.place.drives ? [doctorCall] : [] };
}
