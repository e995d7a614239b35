import { NEW_LOOP_FIELDS, NEW_LOOP_FORM, type NewLoopField, type TonedLine } from "@ccw-loop/view";
import { Box } from "ink";
import { type FieldLook, fieldRows, fieldSpans } from "../../components/field.tsx";
import { type Line, line, span, wrappedTo } from "../../components/line.ts";
import { Rule } from "../../components/panel.tsx";
import { Pointable } from "../../components/pointer.tsx";
import { Text, TextLine, TextLines } from "../../components/text.tsx";
import { type Answer, calling } from "../../model/effect.ts";
import { edited, type Field, fieldOf, hasLine } from "../../model/field.ts";
import {
  type Model,
  popScreen,
  pushScreen,
  replaceScreen,
  withNotice,
  withoutScreen,
} from "../../model/model.ts";
import type { Binding, Screen, Step, ViewProps } from "../../model/screen.ts";
import type { CreateState } from "../../model/screen-states.ts";
import { windowAround } from "../../model/scroll.ts";
import { backBinding, changing } from "../bindings.ts";
import { openLoop } from "../loop/navigation.ts";
import { readingOf, textAnswered, textBindings } from "../text-field.ts";
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
  clicked(state, { name }, model) {
    const focus = NEW_LOOP_FIELDS.find((field) => field === name);
    return focus === undefined || state.busy ? { model } : focusing(state, focus)(model);
  },
  answered(state, answer, model) {
    const filled = state.busy ? undefined : textAnswered(answer, model, put(state));
    if (filled) return filled;
    if (answer.name === "agent") return { model: withAgent(state, model, answer) };
    if (answer.name !== "create" || !state.busy) return undefined;
    if (!answer.ok) {
      const refused = answer.error.message;
      return { model: replaceScreen(model, { ...state, busy: false, refused }) };
    }
    const { loop_id: id } = answer.value;
    return openLoop(withNotice(withoutScreen(model, "create"), `Loop ${id} is made.`, "good"), id);
  },
  View: Form,
  plain: createPlain,
};

function createBindings(state: CreateState): readonly Binding[] {
  const back = backBinding("create", "leave", (model) => leaveForm(state, model));
  if (state.busy) return [back];
  const last = state.focus === NEW_LOOP_FIELDS.at(-1);
  const toggle: Binding = { id: "create.toggle", label: "change", run: changing(toggled(state)) };
  const { task } = state.fields;
  const inTask = state.focus === "task";
  // Between lines of the task the arrows move its cursor.
  const keysFor = (where: "up" | "down", tab: string) =>
    inTask && hasLine(task, where) ? { keys: [tab] } : {};
  const next: Pick<Binding, "label" | "run"> = last
    ? { label: "create", run: send(state) }
    : { label: "next", run: stepping(state, 1) };
  return [
    { id: "create.enter", ...next },
    { id: "create.send", label: "create", run: send(state) },
    ...(NEW_LOOP_FORM[state.focus].choices === undefined ? [] : [toggle]),
    ...(inTask ? textBindings("create", task, put(state)) : []),
    back,
    {
      id: "create.next",
      label: "next field",
      footer: false,
      run: stepping(state, 1),
      ...keysFor("down", "tab"),
    },
    {
      id: "create.before",
      label: "field before",
      footer: false,
      run: stepping(state, -1),
      ...keysFor("up", "shift+tab"),
    },
  ];
}

/** With another task. */
function put(state: CreateState) {
  return (task: Field): CreateState => {
    return { ...state, fields: { ...state.fields, task }, focus: "task", refused: null };
  };
}

function stepping(state: CreateState, by: 1 | -1) {
  const at = NEW_LOOP_FIELDS.indexOf(state.focus) + by;
  return focusing(state, NEW_LOOP_FIELDS.at(at % NEW_LOOP_FIELDS.length) ?? state.focus);
}

function focusing(state: CreateState, focus: NewLoopField) {
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
    const reading = readingOf(state.fields.task);
    if (reading) return { model, effects: [calling(reading)] };
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
  const opened = pushScreen(model, newForm(model.place));
  return { model: opened, effects: [calling({ name: "agent" })] };
}

/** The form with the agent that was found, unless somebody typed another one meanwhile. */
function withAgent(state: CreateState, model: Model, answer: Answer & { name: "agent" }): Model {
  const before = newForm(model.place).fields.agent.text;
  if (!answer.ok || answer.value === "" || state.fields.agent.text !== before) return model;
  const { place } = model;
  const settings = { ...place.defaults?.settings, agent: answer.value };
  const found = { ...model, place: { ...place, defaults: { ...place.defaults, settings } } };
  const fields = { ...state.fields, agent: fieldOf(answer.value) };
  return replaceScreen(found, { ...state, fields });
}

const LABEL = 16;

/** Rows that the task may take, and what is said about the form. */
const TASK = 8;
const SAID = 2;

/** The fields around the one that has the keys, and below them what is to be said about the form. */
function Form({ state, size: { columns, rows } }: ViewProps<CreateState>) {
  const shown = NEW_LOOP_FIELDS.flatMap((name) => {
    const problem = state.touched.includes(name) ? problemOf(state, name) : undefined;
    const field = <FormField key={name} state={state} name={name} columns={columns} />;
    return problem === undefined ? [field] : [field, <Problem key={`${name}!`} text={problem} />];
  });
  const focused = shown.findIndex(({ key }) => key === state.focus);
  const { tone, text } = messageOf(state);
  const said = wrappedTo(text, { columns: columns - 2, rows: SAID }, tone);
  const { task } = state.fields;
  const taskRows = fieldRows(task, { columns: columns - LABEL - 4, focused: true }).lines.length;
  const more = state.focus === "task" ? Math.min(TASK, taskRows) - 1 : 0;
  return (
    <>
      <Box flexDirection="column" flexGrow={1} flexBasis={0} overflow="hidden">
        {windowAround(shown, focused, rows - 1 - said.length - more).lines}
      </Box>
      <Rule />
      <Box flexDirection="column" paddingLeft={1} flexShrink={0}>
        <TextLines of={said} />
      </Box>
    </>
  );
}

function FormField({ state, name, columns }: FormFieldProps) {
  const { label, hint, choices } = NEW_LOOP_FORM[name];
  const focused = state.focus === name && !state.busy;
  const look = { columns: columns - LABEL - 4, focused, hint };
  return (
    <Pointable name={name}>
      <Box width={3} flexShrink={0}>
        <Text tone="name">{focused ? " ▸ " : "   "}</Text>
      </Box>
      <Box width={LABEL} flexShrink={0}>
        <Text tone={focused ? "strong" : "quiet"}>{label}</Text>
      </Box>
      <Box flexDirection="column">
        {choices ? (
          <TextLine of={choiceLine(choices, state.fields[name].text, focused)} />
        ) : (
          <TextLines of={typedLines(state.fields[name], look)} />
        )}
      </Box>
    </Pointable>
  );
}

/** The rows of a text of many lines around its cursor while it has the keys; else its beginning. */
function typedLines(field: Field, look: FieldLook): readonly Line[] {
  if (!field.lines || !look.focused) return [fieldSpans(field, look)];
  const { lines, at } = fieldRows(field, look);
  return windowAround(lines, at, TASK).lines;
}

interface FormFieldProps {
  state: CreateState;
  name: NewLoopField;
  columns: number;
}

function Problem({ text }: { text: string }) {
  return (
    <Box flexShrink={0} paddingLeft={LABEL + 3}>
      <Text tone="bad">{text}</Text>
    </Box>
  );
}

function choiceLine(choices: readonly string[], chosen: string, focused: boolean): Line {
  return choices.flatMap((choice): Line => {
    if (choice !== chosen) return [span(`  ${choice}  `, "quiet")];
    return [{ ...span(`[ ${choice} ]`, "name"), inverse: focused }];
  });
}

/** What the service refused, or what the field that has the keys means. */
function messageOf(state: CreateState): TonedLine {
  if (state.refused !== null) return { tone: "bad", text: state.refused };
  return { tone: "quiet", text: state.busy ? "Making the loop…" : aboutOf(state) };
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
