import type { Waiting } from "@ccw-loop/core";
import { sanitizeLine, truncateToWidth } from "@ccw-loop/view";
import { bodyOf, lastFirst, type Move, moved } from "../../frame/scroll.ts";
import { edited } from "../../model/field.ts";
import { type Model, openedState } from "../../model/model.ts";
import { popScreen, replaceScreen, withNotice } from "../../model/stack.ts";
import { refusalOf } from "../loop/accepts.ts";
import { commandResult } from "../loop/answered.ts";
import { backBinding } from "../moving.ts";
import type { Binding, Screen, Step } from "../screen.ts";
import { answerLines, optionsOf, plainAnswer, questionExtent } from "./lines.ts";
import type { AnswerState } from "./state.ts";

export const answerScreen: Screen<AnswerState> = {
  title: () => "Answer",
  place: "sheet",
  bindings(screen, model) {
    const waiting = waitingOf(model);
    const back = backBinding("answer", (from) => ({ model: popScreen(from) }), "look around");
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
    if (answer.call.name !== "send" || answer.call.id !== screen.id) return undefined;
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
    keys: ["enter"],
    label: options.length > 0 ? `answer ${truncateToWidth(sanitizeLine(text), 20)}` : "answer",
    run(model): Step {
      const state = openedState(model);
      const command = { type: "answer", text } as const;
      const refused = state ? refusalOf(state, command) : "The loop is gone.";
      if (refused !== null) return { model: withNotice(model, refused, "warning") };
      return {
        model: replaceScreen(model, { ...screen, busy: true }),
        effects: [{ type: "call", call: { name: "send", id: screen.id, command } }],
      };
    },
  };
}

/** Up and down choose among options; pages, and without options the arrows as well, scroll the question. */
function moves(screen: AnswerState, waiting: Waiting): Binding[] {
  const options = optionsOf(waiting);
  const choose = (move: Move): Binding["run"] => {
    const last = options.length - 1;
    const to = moved(screen.selected, move, { page: 1, last });
    return (model) => ({ model: replaceScreen(model, { ...screen, selected: to }) });
  };
  const scroll =
    (move: Move): Binding["run"] =>
    (model) => {
      const { rows, count } = questionExtent(screen, waiting, bodyOf(model.size));
      const to = moved(screen.scroll, move, { page: rows, last: lastFirst(count, rows) });
      return { model: replaceScreen(model, { ...screen, scroll: to }) };
    };
  const step = options.length > 0 ? choose : scroll;
  const key = (move: Move, keys: string[], run: Binding["run"]): Binding => {
    return { id: `answer.${move}`, keys, label: move, footer: false, run };
  };
  const letters = options.length > 0;
  return [
    key("up", letters ? ["up", "k"] : ["up"], step("up")),
    key("down", letters ? ["down", "j"] : ["down"], step("down")),
    key("pageup", ["pageup"], scroll("pageup")),
    key("pagedown", ["pagedown"], scroll("pagedown")),
  ];
}
