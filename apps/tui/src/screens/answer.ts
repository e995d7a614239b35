import type { Waiting } from "@ccw-loop/core";
import {
  answerText,
  pad,
  questionTitle,
  refusalOf,
  sanitizeLine,
  truncateToWidth,
} from "@ccw-loop/view";
import { fieldLine } from "../components/field-line.ts";
import { blank, type Line, line, type Size, selected, span, wrapped } from "../components/line.ts";
import {
  bodyOf,
  lastFirst,
  type Move,
  moved,
  panel,
  windowAround,
  windowOf,
} from "../components/panel.ts";
import { sending } from "../model/effect.ts";
import { edited } from "../model/field.ts";
import { type Model, openedState, popScreen, replaceScreen, withNotice } from "../model/model.ts";
import type { Binding, Screen, Step } from "../model/screen.ts";
import type { AnswerState } from "../model/screen-states.ts";
import { backBinding, changing } from "./bindings.ts";
import { commandResult } from "./loop/control.ts";
import { sheetRows } from "./page.ts";

export const answerScreen: Screen<AnswerState> = {
  title: () => "Answer",
  place: "sheet",
  bindings(screen, model) {
    const waiting = waitingOf(model);
    const back = backBinding("answer", "look around");
    if (!waiting || screen.busy) return [back];
    return [sendBinding(screen, waiting), ...moves(screen, waiting), back];
  },
  typed(screen, press, model) {
    const waiting = waitingOf(model);
    if (!waiting || screen.busy || optionsOf(waiting).length > 0) return { model };
    const field = edited(screen.field, press);
    return { model: field ? replaceScreen(model, { ...screen, field }) : model };
  },
  answered(screen, answer, model) {
    if (answer.name !== "send" || answer.call.id !== screen.id) return undefined;
    if (answer.ok) return commandResult(answer, popScreen(model));
    const kept = replaceScreen(model, { ...screen, busy: false });
    return { model: withNotice(kept, answer.error.message, "bad") };
  },
  lines(screen, model, size) {
    const waiting = waitingOf(model);
    return waiting ? answerLines(screen, waiting, size) : [];
  },
  plain(screen, model) {
    const waiting = waitingOf(model);
    return waiting ? plainAnswer(screen, waiting) : [];
  },
};

function waitingOf(model: Model): Waiting | undefined {
  return openedState(model)?.waiting;
}

function sendBinding(screen: AnswerState, waiting: Waiting): Binding {
  const options = optionsOf(waiting);
  const text = options.length > 0 ? (options[screen.selected] ?? "") : screen.field.text.trim();
  return {
    id: "answer.send",
    label: options.length > 0 ? `answer ${truncateToWidth(sanitizeLine(text), 20)}` : "answer",
    run(model): Step {
      const state = openedState(model);
      const command = { type: "answer", text } as const;
      const refused = state ? refusalOf(state, command) : "The loop is gone.";
      if (refused !== null) return { model: withNotice(model, refused, "warning") };
      return {
        model: replaceScreen(model, { ...screen, busy: true }),
        effects: [sending(screen.id, command)],
      };
    },
  };
}

/** Up and down choose among options; pages, and without options the arrows as well, scroll the question. */
function moves(screen: AnswerState, waiting: Waiting): Binding[] {
  const last = optionsOf(waiting).length - 1;
  const scroll = (move: Move) => (model: Model) => {
    const { question, rows } = arranged(screen, waiting, bodyOf(model.size));
    const to = moved(screen.scroll, move, { page: rows, last: lastFirst(question.length, rows) });
    return { model: replaceScreen(model, { ...screen, scroll: to }) };
  };
  return (["up", "down", "pageup", "pagedown"] as const).map((move): Binding => {
    const binding = { id: `answer.${move}`, label: move, footer: false } as const;
    if (last < 0 || move.startsWith("page")) return { ...binding, keys: [move], run: scroll(move) };
    const selected = moved(screen.selected, move, { page: 1, last });
    return { ...binding, run: changing({ ...screen, selected }) };
  });
}

/** The question over its reply, in a sheet. */
function answerLines(screen: AnswerState, waiting: Waiting, size: Size): Line[] {
  const { question, reply, rows } = arranged(screen, waiting, size);
  const { lines, note } = windowOf(question, screen.scroll, rows);
  const filled = [...lines, ...reply];
  return panel(filled, {
    columns: size.columns,
    rows: filled.length + 2,
    title: questionTitle(waiting),
    focused: true,
    note,
  });
}

function plainAnswer(screen: AnswerState, waiting: Waiting): Line[] {
  const options = optionsOf(waiting);
  const chosen = (i: number) => (i === screen.selected ? "selected: " : "");
  return [
    line(questionTitle(waiting)),
    ...questionLines(waiting, 1000),
    ...options.map((text, i) => line(`${chosen(i)}${answerText(text, waiting)}`)),
    line(
      options.length > 0 ? "Choose with up and down, then enter." : "Type an answer, then enter.",
    ),
  ];
}

function optionsOf({ options = [] }: Waiting): readonly string[] {
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
    const of = line(pad(` ${answerText(text, waiting)}`, columns));
    return i === screen.selected ? selected(of) : of;
  });
  const room = rows - 1;
  return [blank, ...windowAround(lines, screen.selected, room).lines];
}
