import type { Model } from "../model/model.ts";
import type { ScreenState } from "../model/screen-states.ts";
import { screenOf } from "../screens/screens.ts";

/** The nearest to the top that fills the body; a sheet may be on top of it. */
export function topFullScreen({ stack }: Model): ScreenState {
  const full = stack.findLast((state) => screenOf(state).place === "full");
  if (full === undefined) throw new TypeError("There is no screen below the sheet.");
  return full;
}
