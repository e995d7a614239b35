import type { Size } from "../frame/line.ts";
import type { KeyMap } from "../keys/key-map.ts";
import type { Model, Place } from "../model/model.ts";
import { noLoops } from "../model/rows.ts";
import { startOfHome } from "../screens/home/state.ts";

/** Before anything is read. */
export function firstModel(given: { size: Size; now: number; place: Place; keys: KeyMap }): Model {
  return {
    ...given,
    link: { state: "live" },
    notice: null,
    loops: noLoops,
    opened: null,
    stack: [startOfHome],
    driven: new Set(),
  };
}
