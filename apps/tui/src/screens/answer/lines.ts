import type { Waiting } from "@ccw-loop/core";
import { pad } from "@ccw-loop/view";
import { fieldLine } from "../../frame/field-line.ts";
import { blank, type Line, line, type Size, selected, span } from "../../frame/line.ts";
import { panel } from "../../frame/panel.ts";
import { windowOf } from "../../frame/scroll.ts";
import { wrapped } from "../../frame/wrap.ts";
import { sheetRows } from "../page.ts";
import type { AnswerState } from "./state.ts";

/** The question over its reply, in a sheet. */
export function answerLines(screen: AnswerState, waiting: Waiting, size: Size): Line[] {
  const { question, reply, rows } = arranged(screen, waiting, size);
  const { lines, note } = windowOf(question, screen.scroll, rows);
  const filled = [...lines, ...reply];
  return panel(filled, {
    columns: size.columns,
    rows: filled.length + 2,
    title: titleOf(waiting),
    focused: true,
    note,
  });
}

/** What is seen of the question at once, and how long it is. */
export function questionExtent(screen: AnswerState, waiting: Waiting, size: Size) {
  const { question, rows } = arranged(screen, waiting, size);
  return { rows, count: question.length };
}

export function plainAnswer(screen: AnswerState, waiting: Waiting): Line[] {
  const options = optionsOf(waiting);
  const chosen = (i: number) => (i === screen.selected ? "selected: " : "");
  return [
    line(titleOf(waiting)),
    ...questionLines(waiting, 1000),
    ...options.map((text, i) => line(`${chosen(i)}${withMeaning(text, waiting)}`)),
    line(
      options.length > 0 ? "Choose with up and down, then enter." : "Type an answer, then enter.",
    ),
  ];
}

export function optionsOf({ options = [] }: Waiting): readonly string[] {
  return options;
}

/** The reply stays visible below the question, however long that is. */
function arranged(screen: AnswerState, waiting: Waiting, size: Size) {
  const columns = size.columns - 2;
  const question = questionLines(waiting, columns);
  const most = sheetRows(size, Number.POSITIVE_INFINITY);
  const reply = replyLines(screen, waiting, { columns, rows: Math.max(2, Math.floor(most / 2)) });
  return { question, reply, rows: Math.max(1, Math.min(question.length, most - reply.length)) };
}

function titleOf({ about, kind }: Waiting): string {
  if (about === "objections") return "Does it count as done?";
  if (kind === "no_progress") return "No progress: what to do differently?";
  return kind === "approval" ? "May it?" : "The loop asks";
}

function questionLines({ prompt, kind }: Waiting, columns: number): Line[] {
  return wrapped(prompt ?? `The loop waits for ${kind}.`, columns);
}

/** The options around the selected one, or the field. */
function replyLines(screen: AnswerState, waiting: Waiting, { columns, rows }: Size): Line[] {
  if (screen.busy) return [blank, line("Sending …", "quiet")];
  const options = optionsOf(waiting);
  if (options.length === 0) {
    const look = { columns: columns - 2, focused: true, hint: "your answer" };
    return [blank, [span("> ", "name"), ...fieldLine(screen.field, look)]];
  }
  const lines = options.map((text, i) => {
    const of = line(pad(` ${withMeaning(text, waiting)}`, columns));
    return i === screen.selected ? selected(of) : of;
  });
  const room = rows - 1;
  return [blank, ...windowOf(lines, screen.selected - Math.floor(room / 2), room).lines];
}

function withMeaning(option: string, { about }: Waiting): string {
  const meaning = about === "objections" ? MEANINGS[option] : undefined;
  return meaning === undefined ? option : `${option}: ${meaning}`;
}

/** What the answers to objections come to. */
const MEANINGS: Readonly<Record<string, string>> = {
  accept: "it counts as done, and who accepted is recorded",
  reject: "a new task has it put right",
};
