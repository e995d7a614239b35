import { STOP_EFFECTS } from "@ccw-loop/view";
import { type Line, line, wrapped } from "../components/line.ts";
import { sending } from "../model/effect.ts";
import { type Model, popScreen } from "../model/model.ts";
import type { Screen } from "../model/screen.ts";
import type { ConfirmState } from "../model/screen-states.ts";
import { backBinding, closing } from "./bindings.ts";
import { sheet } from "./page.ts";

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
  lines: (state, _, size) => sheet(body(state, size.columns - 2), { title: state.question, size }),
  plain: (state) => [line(state.question, "warning"), ...body(state, 1000)],
};

function closed(model: Model, { closes = false }: ConfirmState): Model {
  return closes ? popScreen(popScreen(model)) : popScreen(model);
}

function body({ details }: ConfirmState, columns: number): Line[] {
  return details.flatMap((text) => wrapped(text, columns));
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
