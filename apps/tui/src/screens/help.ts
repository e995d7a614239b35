import { HEALTH_WORDS, HEALTHS, type Health, pad } from "@ccw-loop/view";
import { blank, fit, hanging, type Line, line, span, wrapped } from "../components/line.ts";
import { shownKey } from "../keys/keys.ts";
import type { Model } from "../model/model.ts";
import type { Binding } from "../model/screen.ts";
import type { HelpState, ScreenState } from "../model/screen-states.ts";
import { closing, GLOBAL_BINDINGS, keysOf } from "./bindings.ts";
import { textScreen } from "./page.tsx";

/** The keys of the screen below, which `bindingsOf` tells. */
export const helpScreen = (bindingsOf: BindingsOf) =>
  textScreen<HelpState>({
    title: () => "Keys",
    bindings: () => [{ id: "help.close", label: "back", footer: false, run: closing }],
    content: (state, model, columns) => helpText(state, model, columns, bindingsOf),
    // One key to a line.
    plainColumns: 70,
  });

type BindingsOf = (state: ScreenState, model: Model) => readonly Binding[];

/** Every key that does something there now, by group, as the configuration has them. */
function helpText(state: HelpState, model: Model, columns: number, bindingsOf: BindingsOf): Line[] {
  const screen = model.stack.findLast(({ kind }) => kind === state.of);
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

const MEANINGS: Readonly<Record<Health | "damaged", string>> = {
  waiting: "goes on when you answer",
  stuck: "runs, or asks you, but brings nothing new any more",
  undriven: "is to run, and nobody drives it",
  running: "somebody drives it; a time says when it goes on by itself",
  failed: "could not go on; its outcome says why",
  resting: "not started (○), paused or left (‖), or stopped by an operator (■)",
  done: "completed: its tests prove it, or were waived",
  damaged: "its files cannot be read",
};

/** What the signs of the list mean. */
function glyphLines(columns: number): Line[] {
  return [
    line(" Signs of the list", "strong"),
    ...[...HEALTHS, "damaged" as const].flatMap((health) => {
      const { glyph, tone, short } = HEALTH_WORDS[health];
      const head: Line = [span(`   ${glyph} `, tone), span(short.padEnd(11))];
      return hanging(head, wrapped(MEANINGS[health], columns - 17, "quiet"));
    }),
  ];
}
