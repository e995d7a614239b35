import { fieldLine } from "../../frame/field-line.ts";
import { blank, fit, type Line, line, type Size, span } from "../../frame/line.ts";
import { wrapped } from "../../frame/wrap.ts";
import type { Model } from "../../model/model.ts";
import { FIELDS, problemOf } from "./fields.ts";
import { CREATE_FIELDS, type CreateFieldName, type CreateState } from "./state.ts";

const LABEL = 16;

/** The fields around the one that has the keys, and below them what is to be said about the form. */
export function createLines(state: CreateState, _: Model, { columns, rows }: Size): Line[] {
  const said = messageLines(state, columns).slice(0, 3);
  const room = Math.max(1, rows - said.length);
  const blocks = CREATE_FIELDS.map((name) => fieldLines(state, name, columns));
  const before = CREATE_FIELDS.indexOf(state.focus);
  const focused = blocks.slice(0, before).flat().length;
  const all = blocks.flat();
  const first = Math.max(0, Math.min(all.length - room, focused - Math.floor(room / 2)));
  const shown = all.slice(first, first + room);
  const filling = Array.from({ length: room - shown.length }, () => blank);
  return [...shown, ...filling, ...said];
}

function fieldLines(state: CreateState, name: CreateFieldName, columns: number): Line[] {
  const { label, hint, choices } = FIELDS[name];
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
  const rule = line("─".repeat(columns), "quiet");
  const [tone, text] =
    state.refused !== null
      ? (["bad", state.refused] as const)
      : (["quiet", state.busy ? "Making the loop…" : FIELDS[state.focus].about] as const);
  return [rule, ...wrapped(text, columns - 2, tone).map((of): Line => [span(" "), ...of])];
}

export function createPlain(state: CreateState): Line[] {
  const fields = CREATE_FIELDS.map((name): Line => {
    const { label, hint } = FIELDS[name];
    const text = state.fields[name].text;
    const problem = state.touched.includes(name) ? problemOf(state, name) : undefined;
    const mark = state.focus === name ? "> " : "- ";
    return [
      span(`${mark}${label}: `),
      text === "" ? span(hint === "" ? "empty" : `empty (${hint})`, "quiet") : span(text),
      ...(problem === undefined ? [] : [span(`. ${problem}`, "bad")]),
    ];
  });
  const about = line(state.busy ? "Making the loop…" : FIELDS[state.focus].about, "quiet");
  return [...fields, state.refused === null ? about : line(state.refused, "bad")];
}
