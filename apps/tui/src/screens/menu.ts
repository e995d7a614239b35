import { commandOf, type Menu, menuOf } from "@ccw-loop/core";
import { pad, refusalOf, statusLines } from "@ccw-loop/view";
import { blank, type Line, line, selected, wrapped } from "../components/line.ts";
import { moved, panel } from "../components/panel.ts";
import { sending } from "../model/effect.ts";
import { type Model, openedState, popScreen, replaceScreen } from "../model/model.ts";
import type { Binding, Screen, Step } from "../model/screen.ts";
import type { MenuState } from "../model/screen-states.ts";
import { backBinding, movingBindings } from "./bindings.ts";
import { commandResult } from "./loop/control.ts";

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
  lines(screen, model, { columns, rows }) {
    const state = openedState(model);
    const content = state ? menuLines(screen, menuOf(state), columns - 2) : [];
    const height = Math.min(rows, content.length + 2);
    return panel(content, { columns, rows: height, title: "What next?", focused: true });
  },
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
      return { model: replaceScreen(model, { ...screen, selected: to, notice: null }) };
    }),
  ];
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

function menuLines(screen: MenuState, menu: Menu, columns: number): Line[] {
  const width = Math.max(...menu.options.map(({ label }) => label.length));
  const options = menu.options.map(({ label, available, hint }, i) => {
    const text = ` ${i + 1}  ${pad(label, width)}  ${hint}`;
    const of = line(pad(text, columns), available ? "plain" : "quiet");
    return i === screen.selected ? selected(of) : of;
  });
  const said = screen.busy ? "Sending …" : (screen.notice ?? menu.notice ?? null);
  return [
    ...wrapped(menu.summary.join(" · "), columns, "quiet"),
    blank,
    ...options,
    ...(said === null ? [] : [blank, ...wrapped(said, columns, screen.busy ? "quiet" : "warning")]),
  ];
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
