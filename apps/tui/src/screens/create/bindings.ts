import { fieldOf } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import { popScreen, pushScreen, replaceScreen } from "../../model/stack.ts";
import { backBinding } from "../moving.ts";
import type { Binding, Step } from "../screen.ts";
import { FIELDS, problemOf } from "./fields.ts";
import { newForm, specOf } from "./spec.ts";
import { CREATE_FIELDS, type CreateFieldName, type CreateState } from "./state.ts";

export function createBindings(state: CreateState): readonly Binding[] {
  const back = backBinding("create", (model) => leaveForm(state, model), "leave");
  if (state.busy) return [back];
  const last = state.focus === CREATE_FIELDS.at(-1);
  const key = (id: string, keys: string[], label: string, run: Binding["run"]): Binding => ({
    id: `create.${id}`,
    keys,
    label,
    run,
  });
  return [
    key("enter", ["enter"], last ? "create" : "next", last ? send(state) : focusing(state, 1)),
    key("send", ["ctrl+s"], "create", send(state)),
    ...(FIELDS[state.focus].choices === undefined
      ? []
      : [key("toggle", ["space", "left", "right"], "change", toggled(state))]),
    back,
    { ...key("next", ["tab", "down"], "next field", focusing(state, 1)), footer: false },
    { ...key("before", ["shift+tab", "up"], "field before", focusing(state, -1)), footer: false },
  ];
}

function focusing(state: CreateState, by: 1 | -1) {
  return (model: Model): Step => {
    const at = CREATE_FIELDS.indexOf(state.focus) + by;
    const focus = CREATE_FIELDS.at(at % CREATE_FIELDS.length) ?? state.focus;
    return { model: replaceScreen(model, { ...touching(state, [state.focus]), focus }) };
  };
}

function touching(state: CreateState, names: readonly CreateFieldName[]): CreateState {
  return { ...state, touched: [...new Set([...state.touched, ...names])] };
}

function toggled(state: CreateState) {
  return (model: Model): Step => {
    const { focus, fields } = state;
    const [one = "", other = ""] = FIELDS[focus].choices ?? [];
    const field = fieldOf(fields[focus].text === one ? other : one);
    return { model: replaceScreen(model, { ...state, fields: { ...fields, [focus]: field } }) };
  };
}

/** Goes to the first field that is wrong; where none is, asks the service. */
function send(state: CreateState) {
  return (model: Model): Step => {
    const wrong = CREATE_FIELDS.find((name) => problemOf(state, name) !== undefined);
    const told = touching(state, CREATE_FIELDS);
    if (wrong !== undefined) return { model: replaceScreen(model, { ...told, focus: wrong }) };
    const drive = state.fields.start.text === "yes";
    const spec = specOf(state, model.place);
    return {
      model: replaceScreen(model, { ...told, busy: true, refused: null }),
      effects: [{ type: "call", call: { name: "create", spec, drive } }],
    };
  };
}

/** What was typed is not thrown away without a question. */
function leaveForm(state: CreateState, model: Model): Step {
  const before = newForm(model.place);
  const same = CREATE_FIELDS.every((name) => state.fields[name].text === before.fields[name].text);
  if (same || state.busy) return { model: popScreen(model) };
  const details = ["No loop is made then."];
  const question = "Throw away what you typed?";
  return {
    model: pushScreen(model, {
      kind: "confirm",
      question,
      details,
      verb: "throw away",
      yes: [],
      closes: true,
    }),
  };
}
