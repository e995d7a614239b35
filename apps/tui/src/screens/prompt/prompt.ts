import { fieldLine } from "../../frame/field-line.ts";
import { type Line, line, span } from "../../frame/line.ts";
import { wrapped } from "../../frame/wrap.ts";
import { edited } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import { popScreen, replaceScreen } from "../../model/stack.ts";
import { backBinding } from "../moving.ts";
import { sheet } from "../page.ts";
import type { Screen, Step } from "../screen.ts";
import { PURPOSES } from "./purposes.ts";
import { isAnswerTo, promptResult, sendingOf } from "./sending.ts";
import type { PromptState } from "./state.ts";

export const promptScreen: Screen<PromptState> = {
  title: ({ purpose }) => PURPOSES[purpose.name].title,
  place: "sheet",
  bindings: (state) => [
    ...(state.sent
      ? []
      : [{ id: "prompt.send", keys: ["enter"], label: "send", run: send(state) }]),
    backBinding("prompt", (model) => ({ model: popScreen(model) })),
  ],
  typed(state, press, model) {
    const field = state.sent ? undefined : edited(state.field, press);
    return { model: field ? replaceScreen(model, { ...state, field, problem: null }) : model };
  },
  answered(state, answer, model) {
    if (!isAnswerTo(state, answer)) return undefined;
    if (answer.ok) return promptResult(state, answer, model);
    const problem = answer.error.message;
    return { model: replaceScreen(model, { ...state, sent: undefined, problem }) };
  },
  lines: (state, _, size) => {
    const { title } = PURPOSES[state.purpose.name];
    const look = { columns: size.columns - 4, focused: !state.sent };
    const field = [span("> ", "name"), ...fieldLine(state.field, look)];
    return sheet([field, ...promptMessage(state, size.columns - 2)], { title, size, scroll: 0 });
  },
  plain: (state) => [
    line(PURPOSES[state.purpose.name].title, "strong"),
    ...promptMessage(state, 1000),
    line(`Line: ${state.field.text}`),
  ],
};

function send(state: PromptState) {
  return (model: Model): Step => {
    const sending = sendingOf(state, model);
    if ("problem" in sending) {
      return { model: replaceScreen(model, { ...state, problem: sending.problem }) };
    }
    return {
      model: replaceScreen(model, { ...state, sent: sending.call, problem: null }),
      effects: [{ type: "call", call: sending.call }],
    };
  };
}

/** What is wrong with the line, what is waited for, or what to type. */
function promptMessage({ purpose, problem, sent }: PromptState, columns: number): Line[] {
  const { hint, waiting } = PURPOSES[purpose.name];
  if (problem !== null) return wrapped(problem, columns, "bad");
  return wrapped(sent ? waiting : hint, columns, "quiet");
}
