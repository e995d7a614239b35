import type { Waiting } from "@ccw-loop/core";
import {
  answerOf,
  answerText,
  questionTitle,
  refusalOf,
  sanitizeLine,
  textFor,
  truncateToWidth,
} from "@ccw-loop/view";
import { FieldRows, fieldRows } from "../components/field.tsx";
import { type Line, line, type Size, wrapped } from "../components/line.ts";
import { Panel } from "../components/panel.tsx";
import { ListRows } from "../components/pointer.tsx";
import { Text, TextLines } from "../components/text.tsx";
import { useModel } from "../components/use-model.ts";
import { calling, sending } from "../model/effect.ts";
import { edited, type Field, hasLine } from "../model/field.ts";
import { type Model, openedState, popScreen, replaceScreen, withNotice } from "../model/model.ts";
import type { Binding, Screen, Step, ViewProps } from "../model/screen.ts";
import type { AnswerState } from "../model/screen-states.ts";
import { bodyOf, lastFirst, type Move, moved, windowAround, windowOf } from "../model/scroll.ts";
import { backBinding, changing, selectingRow } from "./bindings.ts";
import { commandResult } from "./loop/control.ts";
import { sheetRows } from "./page.tsx";
import { readingOf, textAnswered, textBindings } from "./text-field.ts";

export const answerScreen: Screen<AnswerState> = {
  title: () => "Answer",
  place: "sheet",
  bindings(screen, model) {
    const waiting = waitingOf(model);
    const back =
      screen.option === null
        ? backBinding("answer", "look around")
        : backBinding("answer", "other answers", changing({ ...screen, option: null }));
    if (!waiting || screen.busy) return [back];
    const isText = optionsOf(screen, waiting).length === 0;
    const lines = isText ? textBindings("answer", screen.field, put(screen)) : [];
    return [sendBinding(screen, waiting), ...lines, ...moves(screen, waiting), back];
  },
  typed(screen, press, model) {
    const waiting = waitingOf(model);
    if (!waiting || screen.busy || optionsOf(screen, waiting).length > 0) return { model };
    const field = edited(screen.field, press);
    return { model: field ? replaceScreen(model, { ...screen, field }) : model };
  },
  clicked(screen, { index }, model) {
    const waiting = screen.busy ? undefined : waitingOf(model);
    const count = waiting ? optionsOf(screen, waiting).length : 0;
    return selectingRow(model, screen, { index, count });
  },
  answered(screen, answer, model) {
    const filled = screen.busy ? undefined : textAnswered(answer, model, put(screen));
    if (filled) return filled;
    if (answer.name !== "send" || answer.call.id !== screen.id) return undefined;
    if (answer.ok) return commandResult(answer, popScreen(model));
    const kept = replaceScreen(model, { ...screen, busy: false });
    return { model: withNotice(kept, answer.error.message, "bad") };
  },
  View: AnswerSheet,
  plain(screen, model) {
    const waiting = waitingOf(model);
    return waiting ? plainAnswer(screen, waiting) : [];
  },
};

function put(screen: AnswerState) {
  return (field: Field): AnswerState => ({ ...screen, field });
}

function waitingOf(model: Model): Waiting | undefined {
  return openedState(model)?.waiting;
}

function sendBinding(screen: AnswerState, waiting: Waiting): Binding {
  const options = optionsOf(screen, waiting);
  const chosen = screen.selected === null ? undefined : options[screen.selected];
  const text = chosen ?? screen.field.text.trim();
  return {
    id: "answer.send",
    label: chosen === undefined ? "answer" : `answer ${truncateToWidth(sanitizeLine(text), 20)}`,
    run(model): Step {
      if (options.length > 0 && chosen === undefined) {
        return { model: withNotice(model, "Choose an answer with ↑ and ↓ first.", "warning") };
      }
      if (chosen !== undefined && textFor(chosen, waiting) !== undefined) {
        return changing({ ...screen, option: chosen, scroll: 0 })(model);
      }
      const reading = options.length > 0 ? undefined : readingOf(screen.field);
      if (reading) return { model, effects: [calling(reading)] };
      const state = openedState(model);
      const command = answerOf(waiting, chosen ?? screen.option ?? undefined, text);
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
  const last = optionsOf(screen, waiting).length - 1;
  const scroll = (move: Move) => (model: Model) => {
    const { question, rows } = arranged(screen, waiting, bodyOf(model.size));
    const to = moved(screen.scroll, move, { page: rows, last: lastFirst(question.length, rows) });
    return { model: replaceScreen(model, { ...screen, scroll: to }) };
  };
  return (["up", "down", "pageup", "pagedown"] as const).flatMap((move): Binding[] => {
    const binding = { id: `answer.${move}`, label: move, footer: false } as const;
    const isArrow = move === "up" || move === "down";
    // Within the answer they move its cursor.
    if (last < 0 && isArrow && hasLine(screen.field, move)) return [];
    if (last < 0 || !isArrow) return [{ ...binding, keys: [move], run: scroll(move) }];
    // Nothing is selected at first: a key that was meant for the screen below answers nothing.
    const before = screen.selected ?? (move === "down" ? -1 : last + 1);
    const selected = Math.min(last, Math.max(0, before + (move === "down" ? 1 : -1)));
    return [{ ...binding, run: changing({ ...screen, selected }) }];
  });
}

/** The question over its reply. */
function AnswerSheet({ state, size }: ViewProps<AnswerState>) {
  const waiting = waitingOf(useModel());
  if (!waiting) return null;
  const { question, rows, replyRows } = arranged(state, waiting, size);
  const { lines, note } = windowOf(question, state.scroll, rows);
  return (
    <Panel title={questionTitle(waiting)} focused note={note}>
      <TextLines of={lines} />
      <Text> </Text>
      <Reply
        state={state}
        waiting={waiting}
        size={{ columns: size.columns - 2, rows: replyRows }}
      />
    </Panel>
  );
}

/** The options around the selected one, or the field. */
function Reply({ state, waiting, size }: ViewProps<AnswerState> & { waiting: Waiting }) {
  if (state.busy) return <Text tone="quiet">Sending …</Text>;
  const options = optionsOf(state, waiting);
  if (options.length === 0) {
    return <FieldRows field={state.field} {...size} {...fieldLook(state, waiting, size.columns)} />;
  }
  const shown = windowAround(options, state.selected ?? 0, size.rows);
  return (
    <ListRows
      of={shown.lines.map((text) => line(` ${answerText(text, waiting)}`))}
      first={shown.first}
      selected={state.selected}
      columns={size.columns}
    />
  );
}

function fieldLook({ option }: AnswerState, waiting: Waiting, columns: number) {
  const hint = option === null ? "your answer, or @FILE with it" : textFor(option, waiting);
  return { columns: columns - 2, focused: true, hint: hint ?? "" };
}

function plainAnswer(screen: AnswerState, waiting: Waiting): Line[] {
  const options = optionsOf(screen, waiting);
  const chosen = (i: number) => (i === screen.selected ? "selected: " : "");
  return [
    line(questionTitle(waiting)),
    ...questionLines(waiting, 1000),
    ...options.map((text, i) => line(`${chosen(i)}${answerText(text, waiting)}`)),
    ...(screen.field.text === "" ? [] : [line(`Answer: ${screen.field.text}`)]),
    line(
      options.length > 0
        ? "Choose with up and down, then enter."
        : `Type ${screen.option === null ? "an answer" : textFor(screen.option, waiting)}, then enter.`,
    ),
  ];
}

/** The options that are chosen from; none while the text of one is typed. */
function optionsOf({ option }: AnswerState, { options = [] }: Waiting): readonly string[] {
  return option === null ? options : [];
}

/** The reply stays visible below the question, however long that is. */
function arranged(screen: AnswerState, waiting: Waiting, size: Size) {
  const columns = size.columns - 2;
  const question = questionLines(waiting, columns);
  const most = sheetRows(size, Number.POSITIVE_INFINITY);
  const options = optionsOf(screen, waiting).length;
  const typed =
    options > 0
      ? options
      : fieldRows(screen.field, fieldLook(screen, waiting, columns)).lines.length;
  const replyRows = Math.min(screen.busy ? 1 : typed, Math.max(1, Math.floor(most / 2) - 1));
  const rows = Math.max(1, Math.min(question.length, most - 1 - replyRows));
  return { question, rows, replyRows };
}

function questionLines({ prompt, kind }: Waiting, columns: number): Line[] {
  return wrapped(prompt ?? `The loop waits for ${kind}.`, columns);
}
