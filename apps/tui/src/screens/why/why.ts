import { selectNextAction } from "@ccw-loop/core";
import { nextText, whyRows } from "@ccw-loop/view";
import { type Line, line, span } from "../../frame/line.ts";
import { bodyOf } from "../../frame/scroll.ts";
import { namedLines, wrapped } from "../../frame/wrap.ts";
import { type Model, openedState } from "../../model/model.ts";
import { replaceScreen, withNotice, withoutScreen } from "../../model/stack.ts";
import { withDriver } from "../loop/driver.ts";
import { pageBack } from "../moving.ts";
import { pageBindings, sheet, sheetRows } from "../page.ts";
import type { Screen } from "../screen.ts";
import type { WhyState } from "./state.ts";

export const whyScreen: Screen<WhyState> = {
  title: () => "Why",
  place: "sheet",
  bindings: (screen) => [...pageBindings(screen, extentOf(screen)), pageBack("why", "close")],
  answered(screen, answer, model) {
    if (answer.call.name !== "why" || answer.call.id !== screen.id) return undefined;
    if (!answer.ok)
      return { model: withNotice(withoutScreen(model, "why"), answer.error.message, "bad") };
    if (answer.name !== "why") return undefined;
    const shown = replaceScreen(model, { ...screen, why: answer.value });
    return { model: withDriver(shown, screen.id, answer.value) };
  },
  lines: (screen, model, size) =>
    sheet(content(screen, model, size.columns - 2), {
      title: "Why",
      size,
      scroll: screen.scroll,
    }),
  plain: (screen, model) => content(screen, model, 1000),
};

function extentOf(screen: WhyState) {
  return (model: Model) => {
    const size = bodyOf(model.size);
    const count = content(screen, model, size.columns - 2).length;
    return { count, rows: sheetRows(size, count) };
  };
}

/** As the loop stands at this moment; who drives it is as it was asked. */
function content({ why }: WhyState, model: Model, columns: number): Line[] {
  const state = openedState(model);
  if (why === null) return [line("Asking …", "quiet")];
  if (!state) return [];
  const { driven_by, undriven_since } = why;
  const selection = { ...selectNextAction(state), driven_by, undriven_since };
  const [heading, reason] = nextText(selection);
  const first = wrapped(`${heading} ${reason}`, columns, "strong");
  return [
    ...first,
    [span("")],
    ...namedLines(whyRows(selection, state, new Date(model.now)), columns),
  ];
}
