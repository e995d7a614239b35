import { NEW_LOOP_FIELDS, NEW_LOOP_FORM, type NewLoopField } from "@ccw-loop/view";
import { fieldLine } from "../../components/field-line.ts";
import {
  fit,
  fitAll,
  indented,
  type Line,
  line,
  rule,
  type Size,
  span,
  wrapped,
} from "../../components/line.ts";
import { windowAround } from "../../components/panel.ts";
import { calling } from "../../model/effect.ts";
import { edited, fieldOf } from "../../model/field.ts";
import {
  type Model,
  popScreen,
  pushScreen,
  replaceScreen,
  withNotice,
  withoutScreen,
} from "../../model/model.ts";
import type { Binding, Screen, Step } from "../../model/screen.ts";
import type { CreateState } from "../../model/screen-states.ts";
import { backBinding, changing } from "../bindings.ts";
import { openLoop } from "../loop/navigation.ts";
import { aboutOf, newForm, problemOf, specOf } from "./form.ts";

export const createScreen: Screen<CreateState> = {
  title: () => "New loop",
  place: "full",
  bindings: createBindings,
  typed(state, press, model) {
    const { focus, fields } = state;
    const chosen = NEW_LOOP_FORM[focus].choices !== undefined;
    const field = state.busy || chosen ? undefined : edited(fields[focus], press);
    if (field === undefined) return { model };
    const next = { ...state, fields: { ...fields, [focus]: field }, refused: null };
    return { model: replaceScreen(model, next) };
  },
  answered(state, answer, model) {
    if (answer.name !== "create" || !state.busy) return undefined;
    if (!answer.ok) {
      const refused = answer.error.message;
      return { model: replaceScreen(model, { ...state, busy: false, refused }) };
    }
    const { loop_id: id } = answer.value;
    return openLoop(withNotice(withoutScreen(model, "create"), `Loop ${id} is made.`, "good"), id);
  },
  lines: createLines,
  plain: createPlain,
};

function createBindings(state: CreateState): readonly Binding[] {
  const back = backBinding("create", "leave", (model) => leaveForm(state, model));
  if (state.busy) return [back];
  const last = state.focus === NEW_LOOP_FIELDS.at(-1);
  const toggle: Binding = { id: "create.toggle", label: "change", run: changing(toggled(state)) };
  const next: Pick<Binding, "label" | "run"> = last
    ? { label: "create", run: send(state) }
    : { label: "next", run: focusing(state, 1) };
  return [
    { id: "create.enter", ...next },
    { id: "create.send", label: "create", run: send(state) },
    ...(NEW_LOOP_FORM[state.focus].choices === undefined ? [] : [toggle]),
    back,
    { id: "create.next", label: "next field", footer: false, run: focusing(state, 1) },
    { id: "create.before", label: "field before", footer: false, run: focusing(state, -1) },
  ];
}

function focusing(state: CreateState, by: 1 | -1) {
  const at = NEW_LOOP_FIELDS.indexOf(state.focus) + by;
  const focus = NEW_LOOP_FIELDS.at(at % NEW_LOOP_FIELDS.length) ?? state.focus;
  return changing({ ...touching(state, [state.focus]), focus });
}

function touching(state: CreateState, names: readonly NewLoopField[]): CreateState {
  return { ...state, touched: [...new Set([...state.touched, ...names])] };
}

function toggled(state: CreateState): CreateState {
  const { focus, fields } = state;
  const [one = "", other = ""] = NEW_LOOP_FORM[focus].choices ?? [];
  const field = fieldOf(fields[focus].text === one ? other : one);
  return { ...state, fields: { ...fields, [focus]: field } };
}

/** Goes to the first field that is wrong; where none is, asks the service. */
function send(state: CreateState) {
  return (model: Model): Step => {
    const wrong = NEW_LOOP_FIELDS.find((name) => problemOf(state, name) !== undefined);
    const told = touching(state, NEW_LOOP_FIELDS);
    if (wrong !== undefined) return { model: replaceScreen(model, { ...told, focus: wrong }) };
    const drive = state.fields.start.text === "yes";
    const spec = specOf(state, model.place);
    return {
      model: replaceScreen(model, { ...told, busy: true, refused: null }),
      effects: [calling({ name: "create", spec, drive })],
    };
  };
}

/** What was typed is not thrown away without a question. */
function leaveForm(state: CreateState, model: Model): Step {
  const before = newForm(model.place);
  const same = NEW_LOOP_FIELDS.every(
    (name) => state.fields[name].text === before.fields[name].text,
  );
  if (same || state.busy) return { model: popScreen(model) };
  const details = ["No loop is made then."];
  const question = "Throw away what you typed?";
  const confirm = { question, details, verb: "throw away", yes: [], closes: true };
  return { model: pushScreen(model, { kind: "confirm", ...confirm }) };
}

export function openCreate(model: Model): Step {
  return { model: pushScreen(model, newForm(model.place)) };
}

const LABEL = 16;

/** The fields around the one that has the keys, and below them what is to be said about the form. */
function createLines(state: CreateState, _: Model, { columns, rows }: Size): Line[] {
  const said = messageLines(state, columns).slice(0, 3);
  const room = Math.max(1, rows - said.length);
  const blocks = NEW_LOOP_FIELDS.map((name) => fieldLines(state, name, columns));
  const before = NEW_LOOP_FIELDS.indexOf(state.focus);
  const focused = blocks.slice(0, before).flat().length;
  const shown = windowAround(blocks.flat(), focused, room).lines;
  return [...fitAll(shown, { columns, rows: room }), ...said];
}

function fieldLines(state: CreateState, name: NewLoopField, columns: number): Line[] {
  const { label, hint, choices } = NEW_LOOP_FORM[name];
  const focused = state.focus === name && !state.busy;
  const problem = state.touched.includes(name) ? problemOf(state, name) : undefined;
  const room = columns - LABEL - 4;
  const mark = span(focused ? " ▸ " : "   ", "name");
  const head = fit([span(label, focused ? "strong" : "quiet")], LABEL);
  const value = choices
    ? choiceLine(choices, state.fields[name].text, focused)
    : fieldLine(state.fields[name], { columns: room, focused, hint });
  const below: Line[] =
    problem === undefined ? [] : [[span(" ".repeat(LABEL + 3)), span(problem, "bad")]];
  return [[mark, ...head, ...value], ...below];
}

function choiceLine(choices: readonly string[], chosen: string, focused: boolean): Line {
  return choices.flatMap((choice): Line => {
    if (choice !== chosen) return [span(`  ${choice}  `, "quiet")];
    return [{ ...span(`[ ${choice} ]`, "name"), inverse: focused }];
  });
}

/** What the service refused, or what the field that has the keys means. */
function messageLines(state: CreateState, columns: number): Line[] {
  const [tone, text] =
    state.refused !== null
      ? (["bad", state.refused] as const)
      : (["quiet", state.busy ? "Making the loop…" : aboutOf(state)] as const);
  return [rule(columns), ...indented(wrapped(text, columns - 2, tone), 1)];
}

function createPlain(state: CreateState): Line[] {
  const fields = NEW_LOOP_FIELDS.map((name): Line => {
    const { label, hint } = NEW_LOOP_FORM[name];
    const text = state.fields[name].text;
    const problem = state.touched.includes(name) ? problemOf(state, name) : undefined;
    const mark = state.focus === name ? "> " : "- ";
    return [
      span(`${mark}${label}: `),
      text === "" ? span(hint === "" ? "empty" : `empty (${hint})`, "quiet") : span(text),
      ...(problem === undefined ? [] : [span(`. ${problem}`, "bad")]),
    ];
  });
  const about = line(state.busy ? "Making the loop…" : aboutOf(state), "quiet");
  return [...fields, state.refused === null ? about : line(state.refused, "bad")];
}
