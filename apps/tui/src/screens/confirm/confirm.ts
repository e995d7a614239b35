import { type Line, line } from "../../frame/line.ts";
import { wrapped } from "../../frame/wrap.ts";
import type { Model } from "../../model/model.ts";
import { popScreen } from "../../model/stack.ts";
import { backBinding } from "../moving.ts";
import { sheet } from "../page.ts";
import type { Binding, Screen } from "../screen.ts";

import type { ConfirmState } from "./state.ts";

export const confirmScreen: Screen<ConfirmState> = {
  title: ({ verb }) => verb,
  place: "sheet",
  bindings: (state) => [
    {
      id: "confirm.yes",
      keys: ["y"],
      label: state.verb,
      run: (model) => ({ model: closed(model, state), effects: state.yes }),
    },
    no,
    backBinding("confirm", (model) => ({ model: popScreen(model) })),
  ],
  lines: (state, _, size) =>
    sheet(body(state, size.columns - 2), { title: state.question, size, scroll: 0 }),
  plain: (state) => [line(state.question, "warning"), ...body(state, 1000)],
};

const no: Binding = {
  id: "confirm.no",
  keys: ["n"],
  label: "no",
  run: (model) => ({ model: popScreen(model) }),
};

function closed(model: Model, { closes = false }: ConfirmState): Model {
  return closes ? popScreen(popScreen(model)) : popScreen(model);
}

function body({ details }: ConfirmState, columns: number): Line[] {
  return details.flatMap((text) => wrapped(text, columns));
}
