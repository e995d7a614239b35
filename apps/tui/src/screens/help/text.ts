import { pad } from "@ccw-loop/view";
import { blank, fit, type Line, line, span } from "../../frame/line.ts";
import { GLOBAL_BINDINGS } from "../../keys/everywhere.ts";
import { shownKey } from "../../keys/key-name.ts";
import { keysOf } from "../../keys/lookup.ts";
import type { Model } from "../../model/model.ts";
import type { ScreenState } from "../../model/screen-states.ts";
import type { Binding } from "../screen.ts";
import { glyphLines } from "./glyphs.ts";
import type { HelpState } from "./state.ts";

export type BindingsOf = (state: ScreenState, model: Model) => readonly Binding[];

/** The screen whose keys are told: the nearest of its kind below. */
function below({ of }: HelpState, { stack }: Model): ScreenState | undefined {
  return stack.findLast(({ kind }) => kind === of);
}

/** Every key that does something there now, by group, as the configuration has them. */
export function helpText(
  state: HelpState,
  model: Model,
  columns: number,
  bindingsOf: BindingsOf,
): Line[] {
  const screen = below(state, model);
  const own = screen === undefined ? [] : bindingsOf(screen, model);
  const taken = new Set(own.flatMap((binding) => keysOf(binding, model.keys)));
  const everywhere = GLOBAL_BINDINGS.filter(
    (binding) => !keysOf(binding, model.keys).every((key) => taken.has(key)),
  );
  const groups = [...grouped(own), ["Everywhere", everywhere] as const];
  return [
    ...groups.flatMap(([name, bindings]) => [
      line(` ${name}`, "strong"),
      ...inColumns(bindings, model, columns),
      blank,
    ]),
    ...(state.of === "home" ? glyphLines(columns) : []),
  ];
}

/** Bindings under their group, groups in the order in which they first come. */
function grouped(bindings: readonly Binding[]): [string, Binding[]][] {
  const groups = new Map<string, Binding[]>();
  for (const binding of bindings) {
    const name = binding.group ?? (binding.footer === false ? "Move" : "Keys");
    groups.set(name, [...(groups.get(name) ?? []), binding]);
  }
  return [...groups];
}

const WIDTH = 38;
const KEYS = 16;

/** As many beside each other as there is room for, read row by row. */
function inColumns(bindings: readonly Binding[], { keys }: Model, columns: number): Line[] {
  const cells = bindings.map((binding): Line => {
    const names = keysOf(binding, keys).map(shownKey).join(" ");
    return fit([span(`   ${pad(names, KEYS - 4)} `, "name"), span(binding.label)], WIDTH);
  });
  const across = Math.max(1, Math.floor(columns / WIDTH));
  return Array.from({ length: Math.ceil(cells.length / across) }, (_, i) =>
    cells.slice(i * across, (i + 1) * across).flat(),
  );
}
