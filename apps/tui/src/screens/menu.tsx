import { commandOf, type Menu, menuOf } from "@ccw-loop/core";
import { pad, refusalOf, statusLines } from "@ccw-loop/view";
import { type Line, line } from "../components/line.ts";
import { ListRows } from "../components/pointer.tsx";
import { Text } from "../components/text.tsx";
import { useModel } from "../components/use-model.ts";
import { sending } from "../model/effect.ts";
import { type Model, openedState, popScreen, replaceScreen } from "../model/model.ts";
import type { Binding, Screen, Step, ViewProps } from "../model/screen.ts";
import type { MenuState } from "../model/screen-states.ts";
import { moved } from "../model/scroll.ts";
import { backBinding, movingBindings } from "./bindings.ts";
import { commandResult } from "./loop/control.ts";
import { Sheet } from "./page.tsx";

export const menuScreen: Screen<MenuState> = {
  title: () => "Menu",
  place: "sheet",
  bindings(screen, model) {
    const state = openedState(model);
    const back = backBinding("menu", "look around");
    return state && !screen.busy ? [...choiceBindings(screen, menuOf(state)), back] : [back];
  },
  answered(screen, answer, model) {
    if (answer.name !== "send" || answer.call.id !== screen.id) return undefined;
    if (answer.ok) return commandResult(answer, popScreen(model));
    const notice = answer.error.message;
    return { model: replaceScreen(model, { ...screen, busy: false, notice }) };
  },
  clicked(screen, { index }, model) {
    return { model: screen.busy ? model : replaceScreen(model, selecting(screen, index)) };
  },
  View: MenuSheet,
  plain: plainMenu,
};

type Digit = 1 | 2 | 3 | 4 | 5 | 6;

function choiceBindings(screen: MenuState, menu: Menu): Binding[] {
  const digits = menu.options.map(({ label }, i): Binding => {
    const run = (model: Model) => chosen({ ...screen, selected: i }, model);
    return { id: `menu.${(i + 1) as Digit}`, label, footer: false, run };
  });
  const last = menu.options.length - 1;
  return [
    { id: "menu.choose", label: "choose", run: (model) => chosen(screen, model) },
    ...digits,
    ...movingBindings("menu", (move, model) => {
      const to = moved(screen.selected, move, { page: last, last });
      return { model: replaceScreen(model, selecting(screen, to)) };
    }),
  ];
}

function selecting(screen: MenuState, selected: number): MenuState {
  return { ...screen, selected, notice: null };
}

/** Sends the selected option, shows how the loop stands, or says why it cannot be chosen. */
function chosen(screen: MenuState, model: Model): Step {
  const state = openedState(model);
  const option = state && menuOf(state).options[screen.selected];
  if (!state || !option) return { model };
  const command = commandOf(option.key);
  if (command === null) return { model: popScreen(model) };
  const refused = refusalOf(state, command);
  if (refused !== null) return { model: replaceScreen(model, { ...screen, notice: refused }) };
  return {
    model: replaceScreen(model, { ...screen, busy: true, notice: null }),
    effects: [sending(screen.id, command)],
  };
}

function MenuSheet({ state: screen, size }: ViewProps<MenuState>) {
  const state = openedState(useModel());
  if (!state) return null;
  const { summary, options, notice } = menuOf(state);
  const width = Math.max(...options.map(({ label }) => label.length));
  const said = screen.busy ? "Sending …" : (screen.notice ?? notice);
  return (
    <Sheet title="What next?" size={size}>
      <Text tone="quiet" wrap="wrap">
        {summary.join(" · ")}
      </Text>
      <Text> </Text>
      <ListRows
        of={options.map(({ label, available, hint }, i) =>
          line(` ${i + 1}  ${pad(label, width)}  ${hint}`, available ? "plain" : "quiet"),
        )}
        first={0}
        selected={screen.selected}
        columns={size.columns - 2}
      />
      {said != null && (
        <>
          <Text> </Text>
          <Text tone={screen.busy ? "quiet" : "warning"} wrap="wrap">
            {said}
          </Text>
        </>
      )}
    </Sheet>
  );
}

function plainMenu(screen: MenuState, model: Model): Line[] {
  const state = openedState(model);
  if (!state) return [];
  const { summary, options, notice = null } = menuOf(state);
  const said = screen.notice ?? notice;
  const lines = options.map(({ label, available, hint }, i) => {
    const now = available ? "" : ", not now";
    return line(`${i + 1}: ${label}${now} (${hint})`);
  });
  return [
    line("The loop waits for your choice."),
    ...summary.map((text) => line(text)),
    ...statusLines(state).map((text) => line(text.trim())),
    ...lines,
    line(`Selected: ${screen.selected + 1}. Press a digit, or enter.`),
    ...(said === null ? [] : [line(said, "warning")]),
  ];
}
