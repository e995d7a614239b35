import type { LoopState } from "@ccw-loop/core";
import { reopenEffects, reopening, STOP_EFFECTS } from "@ccw-loop/view";
import { line, wrapped } from "../components/line.ts";
import { Text } from "../components/text.tsx";
import { sending } from "../model/effect.ts";
import { type Model, popScreen } from "../model/model.ts";
import type { Screen } from "../model/screen.ts";
import type { ConfirmState } from "../model/screen-states.ts";
import { backBinding, closing } from "./bindings.ts";
import { Sheet } from "./page.tsx";

export const confirmScreen: Screen<ConfirmState> = {
  title: ({ verb }) => verb,
  place: "sheet",
  bindings: (state) => [
    {
      id: "confirm.yes",
      label: state.verb,
      run: (model) => ({ model: closed(model, state), effects: state.yes }),
    },
    { id: "confirm.no", label: "no", run: closing },
    backBinding("confirm"),
  ],
  View: ({ state, size }) => (
    <Sheet title={state.question} size={size}>
      {state.details.map((text) => (
        <Text key={text} wrap="wrap">
          {text}
        </Text>
      ))}
    </Sheet>
  ),
  plain: ({ question, details }) => [
    line(question, "warning"),
    ...details.flatMap((text) => wrapped(text, 1000)),
  ],
};

function closed(model: Model, { closes = false }: ConfirmState): Model {
  return closes ? popScreen(popScreen(model)) : popScreen(model);
}

/** Asks before a loop is stopped, wherever that is asked for. */
export function stopConfirmation({ id, title }: { id: string; title: string }): ConfirmState {
  return {
    kind: "confirm",
    question: `Stop "${title}"?`,
    details: STOP_EFFECTS,
    verb: "stop",
    yes: [sending(id, { type: "stop" })],
  };
}

/** Says to what its bounds are raised before an ended loop goes on. */
export function reopenConfirmation(state: LoopState): ConfirmState {
  return {
    kind: "confirm",
    question: `Reopen "${state.title}"?`,
    details: reopenEffects(state),
    verb: "reopen",
    yes: [sending(state.loop_id, reopening(state))],
  };
}
