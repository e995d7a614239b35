import { DURATION_FORMS, type TonedLine } from "@ccw-loop/view";
import { FieldRows } from "../../components/field.tsx";
import { line } from "../../components/line.ts";
import { Text } from "../../components/text.tsx";
import { calling } from "../../model/effect.ts";
import { edited, type Field } from "../../model/field.ts";
import { type Model, replaceScreen } from "../../model/model.ts";
import type { Binding, Screen, Step } from "../../model/screen.ts";
import type { PromptState } from "../../model/screen-states.ts";
import { backBinding } from "../bindings.ts";
import { Sheet } from "../page.tsx";
import { readingOf, textAnswered, textBindings } from "../text-field.ts";
import { isAnswerTo, promptResult, sendingOf } from "./commands.ts";

export const promptScreen: Screen<PromptState> = {
  title: ({ purpose }) => PURPOSES[purpose.name].title,
  place: "sheet",
  bindings: (state) => {
    const back = backBinding(screenOf(state));
    if (state.sent) return [back];
    const lines = state.field.lines ? textBindings(screenOf(state), state.field, put(state)) : [];
    return [sendBinding(state), ...lines, back];
  },
  typed(state, press, model) {
    const field = state.sent ? undefined : edited(state.field, press);
    return { model: field ? replaceScreen(model, { ...state, field, problem: null }) : model };
  },
  answered(state, answer, model) {
    const filled = state.sent ? undefined : textAnswered(answer, model, put(state));
    if (filled) return filled;
    if (!isAnswerTo(state, answer)) return undefined;
    if (answer.ok) return promptResult(state, answer, model);
    const problem = answer.error.message;
    return { model: replaceScreen(model, { ...state, sent: undefined, problem }) };
  },
  View: ({ state, size }) => {
    const { text, tone } = promptMessage(state);
    return (
      <Sheet title={PURPOSES[state.purpose.name].title} size={size}>
        <FieldRows
          field={state.field}
          columns={size.columns - 4}
          rows={Math.max(1, Math.min(MOST_ROWS, size.rows - AROUND))}
          focused={!state.sent}
        />
        <Text tone={tone} wrap="wrap">
          {text}
        </Text>
      </Sheet>
    );
  },
  plain: (state) => [
    line(PURPOSES[state.purpose.name].title, "strong"),
    line(promptMessage(state).text, promptMessage(state).tone),
    line(`Text: ${state.field.text}`),
  ],
};

/** Rows of its text at once, and of a screen all that is not its text. */
const MOST_ROWS = 12;
const AROUND = 8;

function put(state: PromptState) {
  return (field: Field): PromptState => ({ ...state, field, problem: null });
}

/** What its keys are configured as. */
function screenOf({ purpose }: PromptState): "prompt" | "steer" {
  return purpose.name === "steer" ? "steer" : "prompt";
}

function sendBinding(state: PromptState): Binding {
  const run = (model: Model): Step => {
    const reading = state.field.lines && readingOf(state.field);
    if (reading) return { model, effects: [calling(reading)] };
    const sending = sendingOf(state, model);
    if ("problem" in sending) {
      return { model: replaceScreen(model, { ...state, problem: sending.problem }) };
    }
    return {
      model: replaceScreen(model, { ...state, sent: sending.call, problem: null }),
      effects: [calling(sending.call)],
    };
  };
  return { id: `${screenOf(state)}.send`, label: "send", run };
}

/** What is wrong with the line, what is waited for, or what to type. */
function promptMessage({ purpose, problem, sent }: PromptState): TonedLine {
  const { hint, waiting } = PURPOSES[purpose.name];
  if (problem !== null) return { tone: "bad", text: problem };
  return { tone: "quiet", text: sent ? waiting : hint };
}

interface Words {
  title: string;
  /** What to type. */
  hint: string;
  /** Said until the answer comes. */
  waiting: string;
}

const PURPOSES: Readonly<Record<PromptState["purpose"]["name"], Words>> = {
  "add-task": {
    title: "Add a task",
    hint: "What is to be done, or @FILE with it. It comes behind the tasks there are.",
    waiting: "Adding it…",
  },
  "edit-task": {
    title: "Edit a task",
    hint: "What is to be done, or @FILE with it.",
    waiting: "Changing it…",
  },
  "import-tasks": {
    title: "Import the tasks of an issue",
    hint: "The id of an issue in .workflow/issues, such as ISS-1.",
    waiting: "Importing them…",
  },
  "generate-tasks": {
    title: "Ask the agent which tasks are missing",
    hint: "How many at most; nothing lets the agent decide. It costs a turn of the agent.",
    waiting: "The agent thinks. esc leaves it alone; the tasks come all the same.",
  },
  "edit-limit": {
    title: "Change a limit",
    hint: `iterations 20, time 6h (${DURATION_FORMS}), turns 300, tokens 30000000 or cost 2.50.`,
    waiting: "Changing it…",
  },
  steer: {
    title: "Tell the agent",
    hint: "It reaches the agent in the middle of its turn. @FILE stands for the text of a file.",
    waiting: "Sending …",
  },
};
