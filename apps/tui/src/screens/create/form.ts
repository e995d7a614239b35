import type { NewLoop } from "@ccw-loop/core";
import {
  agentForm,
  fieldProblem,
  NEW_LOOP_FIELDS,
  NEW_LOOP_FORM,
  type NewLoopField,
  type NewLoopTexts,
  newLoopOf,
  newLoopTexts,
} from "@ccw-loop/view";
import { emptyField, emptyText, fieldOf } from "../../model/field.ts";
import type { Place } from "../../model/model.ts";
import type { CreateState } from "../../model/screen-states.ts";

/** A form before anything is typed: with what the configuration says. */
export function newForm({ defaults, agents }: Place): CreateState {
  const texts = newLoopTexts(defaults);
  const fields = NEW_LOOP_FIELDS.map((name) => {
    return [name, fieldOf(texts[name], name === "task" ? emptyText : emptyField)];
  });
  return {
    kind: "create",
    agents: agents ?? null,
    fields: Object.fromEntries(fields),
    focus: "task",
    touched: [],
    refused: null,
    busy: false,
  };
}

function textsOf({ fields }: CreateState): NewLoopTexts {
  const texts = NEW_LOOP_FIELDS.map((name) => [name, fields[name].text]);
  return Object.fromEntries(texts);
}

/** The loop that a form without problems describes. What nothing is typed for is left to the service. */
export function specOf(state: CreateState, { defaults }: Place): NewLoop {
  return newLoopOf(textsOf(state), defaults);
}

/** What is wrong with a field now; undefined for one that is fine. */
export function problemOf(state: CreateState, name: NewLoopField): string | undefined {
  return fieldProblem(textsOf(state), name, state.agents);
}

/** What the field that has the keys means, in a sentence. */
export function aboutOf({ focus, agents }: CreateState): string {
  const { about } = NEW_LOOP_FORM[focus];
  if (focus === "task") return `${about} @FILE stands for the text of a file.`;
  if (focus !== "agent" || agents === null) return about;
  return `One of: ${agents.map((one) => `${agentForm(one)} (${one.describe})`).join(", ")}.`;
}
