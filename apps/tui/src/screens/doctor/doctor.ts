import type { Model } from "../../model/model.ts";
import { replaceScreen } from "../../model/stack.ts";
import { fullPage, fullPageExtent } from "../full-page.ts";
import { pageBack } from "../moving.ts";
import { pageBindings } from "../page.ts";
import type { Screen, Step } from "../screen.ts";
import { doctorCall, emptyDoctor } from "./opening.ts";
import type { DoctorState } from "./state.ts";
import { doctorText } from "./text.ts";

export const doctorScreen: Screen<DoctorState> = {
  title: () => "Doctor",
  place: "full",
  bindings: (state, { place }) => [
    ...(place.drives && (state.findings !== null || state.problem !== null)
      ? [{ id: "doctor.again", keys: ["r"], label: "look again", run: again }]
      : []),
    pageBack("doctor"),
    ...pageBindings(state, (model) =>
      fullPageExtent(model, (columns) => doctorText(state, model, columns)),
    ),
  ],
  answered(state, answer, model) {
    if (answer.name !== "doctor") return undefined;
    const found = answer.ok
      ? { findings: answer.value, problem: null }
      : { findings: null, problem: answer.error.message };
    return { model: replaceScreen(model, { ...state, ...found, scroll: 0 }) };
  },
  lines: (state, model, size) =>
    fullPage(doctorText(state, model, size.columns - 2), { title: "Doctor", size, ...state }),
  plain: (state, model) => doctorText(state, model, 1000),
};

function again(model: Model): Step {
  return { model: replaceScreen(model, emptyDoctor), effects: [doctorCall] };
}
