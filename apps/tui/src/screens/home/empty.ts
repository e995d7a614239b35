import { blank, type Line, line, span } from "../../frame/line.ts";
import { wrapped } from "../../frame/wrap.ts";
import { shownKey } from "../../keys/key-name.ts";
import { keysOf } from "../../keys/lookup.ts";
import { type Model, shellCommand } from "../../model/model.ts";
import type { Binding } from "../screen.ts";
import { DOCTOR, HELP, NEW } from "./keys.ts";
import type { HomeState } from "./state.ts";

/** What stands where the list would be: how to begin, or why nothing fits. */
export function emptyLines(state: HomeState, model: Model, columns: number): Line[] {
  const { rows, damaged, complete } = model.loops;
  if (rows.size + damaged.length > 0) {
    const what =
      state.search.text === "" ? "No loop is like that now." : "No loop fits the search.";
    return [line(`  ${what}`), line("  esc shows all of them again.", "quiet")];
  }
  if (!complete) return [line("  Reading the loops…", "quiet")];
  const key = (binding: Pick<Binding, "id" | "keys">) =>
    shownKey(keysOf(binding, model.keys)[0] ?? "");
  const about =
    "A loop drives one coding agent until your own tests prove that the work is done. It never runs away: iterations, time, turns and tokens are bounded.";
  return [
    line("  No loops here yet.", "strong"),
    blank,
    ...wrapped(about, columns - 4).map((of): Line => [span("  "), ...of]),
    blank,
    [span(`  ${key(NEW)}`, "name"), span("  make the first loop")],
    [span(`  ${key(DOCTOR)}`, "name"), span("  check whether a loop can work here")],
    [span(`  ${key(HELP)}`, "name"), span("  all keys")],
    blank,
    [
      span("  Or in a shell: ", "quiet"),
      span(shellCommand(model.place, 'run --auto "TASK"'), "name"),
    ],
  ];
}
