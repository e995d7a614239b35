import { FINDING_LOOKS, type Finding, verdictOf } from "@ccw-loop/view";
import { blank, hanging, type Line, line, lineWidth, span, wrapped } from "../components/line.ts";
import { calling } from "../model/effect.ts";
import {
  asTyped,
  type Model,
  type Place,
  pushScreen,
  replaceScreen,
  shellCommand,
} from "../model/model.ts";
import type { Binding, Step } from "../model/screen.ts";
import type { DoctorState } from "../model/screen-states.ts";
import { textScreen } from "./page.tsx";

export const doctorScreen = textScreen<DoctorState>({
  title: () => "Doctor",
  bindings: (state, { place }) =>
    place.drives && (state.findings !== null || state.problem !== null) ? [AGAIN] : [],
  answered(state, answer, model) {
    if (answer.name !== "doctor") return undefined;
    const found = answer.ok
      ? { findings: answer.value, problem: null }
      : { findings: null, problem: answer.error.message };
    return { model: replaceScreen(model, { ...state, ...found, scroll: 0 }) };
  },
  content: doctorText,
});

const doctorCall = calling({ name: "doctor" });

const AGAIN: Binding = {
  id: "doctor.again",
  label: "look again",
  run: (model) => ({ model: replaceScreen(model, emptyDoctor), effects: [doctorCall] }),
};

const emptyDoctor: DoctorState = { kind: "doctor", findings: null, problem: null, scroll: 0 };

/** Looks at once where this machine is the one that drives. */
export function openDoctor(model: Model): Step {
  return { model: pushScreen(model, emptyDoctor), effects: model.place.drives ? [doctorCall] : [] };
}

/** Everything that was looked at, each with what to do about it, and the verdict on top. */
function doctorText(state: DoctorState, { place }: Model, columns: number): Line[] {
  if (!place.drives) return elsewhere(place, columns);
  if (state.problem !== null) return wrapped(state.problem, columns, "bad");
  if (state.findings === null) return [line(" Looking at what a loop needs here…", "quiet")];
  const isReady = state.findings.every(({ status }) => status !== "problem");
  return [
    line(` ${verdictOf(state.findings)}`, isReady ? "good" : "bad"),
    blank,
    ...state.findings.flatMap((finding) => findingLines(finding, place, columns)),
  ];
}

/** A control plane is asked about loops, not about its machine. */
function elsewhere(place: Place, columns: number): Line[] {
  const command = shellCommand(place, "doctor");
  return [
    ...wrapped(
      `The loops of ${place.name} work on the machine of that server, not on this one.`,
      columns,
    ),
    blank,
    ...wrapped(`Look whether a loop can work there with: ${command}, in its folder.`, columns),
  ];
}

function findingLines(
  { check, status, message, next }: Finding,
  place: Place,
  columns: number,
): Line[] {
  const { word, tone } = FINDING_LOOKS[status];
  const head: Line = [span(` ${word.padEnd(8)}`, tone), span(`${check.padEnd(11)} `, "strong")];
  const room = Math.max(20, columns - lineWidth(head));
  const said = next === null ? [] : wrapped(asTyped(place, next), room, "name");
  return hanging(head, [...wrapped(asTyped(place, message), room), ...said]);
}
