import { firstOf } from "@ccw-loop/core";
import { type Line, line, span, wrapped } from "../components/line.ts";
import type { BindingId } from "../keys/defaults.ts";
import type { Model } from "../model/model.ts";
import type { Screen } from "../model/screen.ts";
import type { QuitState } from "../model/screen-states.ts";
import { asking, backBinding, drivenOn, firstKey } from "./bindings.ts";
import { sheet } from "./page.ts";

export const quitScreen: Screen<QuitState> = {
  title: () => "Quit",
  place: "sheet",
  bindings: () => [
    { id: "quit.pause", label: "pause and quit", run: asking({ type: "quit", driven: "pause" }) },
    {
      id: "quit.release",
      label: "leave running and quit",
      run: asking({ type: "quit", driven: "release" }),
    },
    backBinding("quit", "stay"),
  ],
  lines: (_, model, size) => sheet(body(model, size.columns - 2), { title: "Quit?", size }),
  plain: (_, model) => [line("Quit?", "warning"), ...body(model, 1000)],
};

/** More names than that say nothing new. */
const NAMED = 3;

function body(model: Model, columns: number): Line[] {
  const ids = drivenOn(model);
  const names = ids.map((id) => `"${model.loops.rows.get(id)?.title ?? id}"`);
  const what = ids.length === 1 ? "1 loop is" : `${ids.length} loops are`;
  return [
    ...wrapped(`${what} driven here: ${firstOf(names, NAMED)}.`, columns),
    choice(model, "quit.pause", "pause them: they go on when somebody resumes them"),
    choice(
      model,
      "quit.release",
      "leave them running: the next ccw-loop supervise or serve takes them up",
    ),
    choice(model, "quit.back", "stay here"),
  ];
}

function choice({ keys }: Model, id: BindingId, text: string): Line {
  return [span(`${firstKey(id, keys).padStart(4)}  `, "name"), span(text)];
}
