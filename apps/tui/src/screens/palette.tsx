import { pad } from "@ccw-loop/view";
import { FieldLine } from "../components/field.tsx";
import { type Line, line, span } from "../components/line.ts";
import { ListRows } from "../components/pointer.tsx";
import { Text } from "../components/text.tsx";
import { useModel } from "../components/use-model.ts";
import { shownKey } from "../keys/keys.ts";
import { edited } from "../model/field.ts";
import { type Model, popScreen, replaceScreen } from "../model/model.ts";
import type { Binding, Screen, Step, ViewProps } from "../model/screen.ts";
import type { PaletteState, ScreenState } from "../model/screen-states.ts";
import { moved, windowAround } from "../model/scroll.ts";
import { backBinding, GLOBAL_BINDINGS, keysOf, selectingRow } from "./bindings.ts";
import { Sheet, sheetRows } from "./page.tsx";

type BindingsOf = (state: ScreenState, model: Model) => readonly Binding[];

/** Finds an action of the screen below by its name, and does it; `bindingsOf` says what there is. */
export function paletteScreen(bindingsOf: BindingsOf): Screen<PaletteState> {
  const found = (state: PaletteState, model: Model) => actionsFor(state, model, bindingsOf);
  return {
    title: () => "Actions",
    place: "sheet",
    bindings: (state, model) => [
      { id: "palette.run", label: "do it", run: running(found(state, model)[state.selected]) },
      backBinding("palette"),
      ...(["up", "down"] as const).map((move): Binding => {
        const last = found(state, model).length - 1;
        const selected = moved(state.selected, move, { page: 1, last });
        const run = (now: Model) => ({ model: replaceScreen(now, { ...state, selected }) });
        return { id: `palette.${move}`, label: move, footer: false, run };
      }),
    ],
    typed(state, press, model) {
      const field = edited(state.field, press);
      if (field === undefined) return { model };
      return { model: replaceScreen(model, { ...state, field, selected: 0 }) };
    },
    clicked: (state, { index }, model) =>
      selectingRow(model, state, { index, count: found(state, model).length }),
    View: ({ state, size }: ViewProps<PaletteState>) => {
      const model = useModel();
      const actions = found(state, model);
      const { lines, first } = windowAround(actions, state.selected, sheetRows(size, MOST) - 1);
      return (
        <Sheet title="Actions" size={size}>
          <FieldLine field={state.field} columns={size.columns - 4} focused hint="what to do" />
          <ListRows
            of={lines.map((binding) => actionLine(binding, model))}
            first={first}
            selected={state.selected}
            columns={size.columns - 2}
          />
          {actions.length === 0 && <Text tone="quiet">No action here has such a name.</Text>}
        </Sheet>
      );
    },
    plain: (state, model) => [
      line("Type a part of what to do, then enter."),
      ...found(state, model).map((binding, i) => [
        span(i === state.selected ? "> " : "- "),
        ...actionLine(binding, model),
      ]),
    ],
  };
}

/** Rows of actions at most. */
const MOST = 12;

function actionLine(binding: Binding, { keys }: Model): Line {
  const [key = ""] = keysOf(binding, keys);
  return [span(` ${pad(shownKey(key), 10)}`, "name"), span(binding.label)];
}

/** Every word that is typed has to be in the name; what only moves is no action. */
function actionsFor({ field }: PaletteState, model: Model, bindingsOf: BindingsOf): Binding[] {
  const below = model.stack.findLast(({ kind }) => kind !== "palette");
  const words = field.text.toLowerCase().split(/\s+/).filter(Boolean);
  const all = [...(below ? bindingsOf(below, model) : []), ...GLOBAL_BINDINGS];
  return all.filter(({ id, label, group = "" }) => {
    const name = `${group} ${label}`.toLowerCase();
    return !MOVES.test(id) && words.every((word) => name.includes(word));
  });
}

const MOVES = /\.(up|down|pageup|pagedown|top|end|palette|search-.*)$/;

/** Does it on the screen below, without the palette. */
function running(binding: Binding | undefined): (model: Model) => Step {
  return (model) => {
    const below = popScreen(model);
    return binding?.run(below, { key: "", text: "" }) ?? { model };
  };
}
