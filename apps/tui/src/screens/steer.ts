import { fieldLine } from "../components/field-line.ts";
import { line, span, wrapped } from "../components/line.ts";
import { panel } from "../components/panel.ts";
import { edited } from "../model/field.ts";
import { replaceScreen, withNotice, withoutScreen } from "../model/model.ts";
import type { Binding, Screen } from "../model/screen.ts";
import type { SteerState } from "../model/screen-states.ts";
import { backBinding } from "./bindings.ts";

export const steerScreen: Screen<SteerState> = {
  title: () => "Steer",
  place: "sheet",
  bindings: (screen) => [
    ...(screen.busy || screen.field.text.trim() === "" ? [] : [sendBinding(screen)]),
    backBinding("steer", "cancel"),
  ],
  typed(screen, press, model) {
    const field = screen.busy ? undefined : edited(screen.field, press);
    return { model: field ? replaceScreen(model, { ...screen, field, refused: null }) : model };
  },
  answered(screen, answer, model) {
    if (answer.call.name !== "steer" || answer.call.id !== screen.id) return undefined;
    if (answer.ok)
      return { model: withNotice(withoutScreen(model, "steer"), "The agent was told.", "good") };
    const refused = answer.error.message;
    return { model: replaceScreen(model, { ...screen, busy: false, refused }) };
  },
  lines(screen, _model, { columns }) {
    const look = { columns: columns - 4, focused: !screen.busy, hint: "a line to the agent" };
    const said = screen.busy
      ? [line("Sending …", "quiet")]
      : wrapped(screen.refused ?? "", columns - 2, "warning");
    const content = [[span("> ", "name"), ...fieldLine(screen.field, look)], ...said];
    const rows = content.length + 2;
    return panel(content, { columns, rows, title: "Tell the agent", focused: true });
  },
  plain: (screen) => [
    line("A line to the agent in the middle of its turn. Type it, then enter."),
    line(`Line: ${screen.field.text}`),
    ...(screen.refused === null ? [] : [line(screen.refused, "warning")]),
  ],
};

function sendBinding(screen: SteerState): Binding {
  return {
    id: "steer.send",
    label: "send",
    run: (model) => ({
      model: replaceScreen(model, { ...screen, busy: true, refused: null }),
      effects: [
        { type: "call", call: { name: "steer", id: screen.id, text: screen.field.text.trim() } },
      ],
    }),
  };
}
