import { selectNextAction } from "@ccw-loop/core";
import { nextText, whyRows } from "@ccw-loop/view";
import { blank, type Line, line, namedLines, wrapped } from "../components/line.ts";
import { calling } from "../model/effect.ts";
import {
  type Model,
  openedState,
  replaceScreen,
  withNotice,
  withoutScreen,
} from "../model/model.ts";
import type { WhyState } from "../model/screen-states.ts";
import { opening } from "./bindings.ts";
import { withDriver } from "./loop/driver.ts";
import { textScreen } from "./page.tsx";

export const whyScreen = textScreen<WhyState>({
  title: () => "Why",
  place: "sheet",
  answered(screen, answer, model) {
    if (answer.name !== "why" || answer.call.id !== screen.id) return undefined;
    if (!answer.ok)
      return { model: withNotice(withoutScreen(model, "why"), answer.error.message, "bad") };
    const shown = replaceScreen(model, { ...screen, why: answer.value });
    return { model: withDriver(shown, screen.id, answer.value) };
  },
  content: whyText,
});

/** As the loop stands at this moment; who drives it is as it was asked. */
function whyText({ why }: WhyState, model: Model, columns: number): Line[] {
  const state = openedState(model);
  if (why === null) return [line("Asking …", "quiet")];
  if (!state) return [];
  const { driven_by, undriven_since } = why;
  const selection = { ...selectNextAction(state), driven_by, undriven_since };
  const [heading, reason] = nextText(selection);
  return [
    ...wrapped(`${heading} ${reason}`, columns, "strong"),
    blank,
    ...namedLines(whyRows(selection, state, new Date(model.now)), columns),
  ];
}

/** Asks why the loop does what it does, and shows it. */
export const openWhy = (id: string) =>
  opening({ kind: "why", id, why: null, scroll: 0 }, calling({ name: "why", id }));
