import type { Model } from "../../model/model.ts";
import { popScreen } from "../../model/stack.ts";
import { fullPage, fullPageExtent } from "../full-page.ts";
import { backBinding } from "../moving.ts";
import { pageBindings } from "../page.ts";
import type { Screen } from "../screen.ts";
import type { HelpState } from "./state.ts";
import { type BindingsOf, helpText } from "./text.ts";

/** One key to a line. */
const NARROW = 70;

/** The keys of the screen below, which `bindingsOf` tells. */
export const helpScreen = (bindingsOf: BindingsOf): Screen<HelpState> => ({
  title: () => "Keys",
  place: "full",
  bindings: (state) => [
    backBinding("help", closed),
    { id: "help.close", keys: ["?", "q"], label: "back", footer: false, run: closed },
    ...pageBindings(state, (model) =>
      fullPageExtent(model, (columns) => helpText(state, model, columns, bindingsOf)),
    ),
  ],
  lines: (state, model, size) =>
    fullPage(helpText(state, model, size.columns - 2, bindingsOf), {
      title: "Keys",
      size,
      ...state,
    }),
  plain: (state, model) => helpText(state, model, NARROW, bindingsOf),
});

function closed(model: Model) {
  return { model: popScreen(model) };
}
