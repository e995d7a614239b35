import type { Driver } from "@ccw-loop/core";
import { type LoopsMessage, withLooked } from "@ccw-loop/view";
import { type Model, openedState, toOpened } from "../../model/model.ts";

/** With who drives that loop, as it was said last. */
export function withDriver(model: Model, id: string, { driven_by, undriven_since }: Driver): Model {
  const driver = { driven_by, undriven_since };
  return toOpened(model, id, (opened) => ({ ...opened, driver }));
}

/** With what a look at all loops found; of another one that nobody drove it is not known who does. */
export function withLook(before: Model, look: Extract<LoopsMessage, { type: "looked" }>): Model {
  const loops = withLooked(before.loops, look);
  const model = loops === before.loops ? before : { ...before, loops };
  if (model.opened === null) return model;
  const { id, driver } = model.opened;
  const now = look.undriven.get(id) ?? null;
  if ((driver?.undriven_since ?? null) === now) return model;
  const other = now === null ? undefined : { driven_by: null, undriven_since: now };
  return { ...model, opened: { ...model.opened, driver: other } };
}

/** It is to run, and nobody drives it, as far as was said. */
export function isKnownUndriven(model: Model): boolean {
  const state = openedState(model);
  const runs = state?.status === "running" && state.waiting === undefined;
  return runs && model.opened?.driver?.driven_by === null && !model.driven.has(state.loop_id);
}

/** At the last change of a loop that nobody drives: since then no time is used. */
export function withFrozenClock(model: Model): Model {
  const state = openedState(model);
  if (!state || !isKnownUndriven(model)) return model;
  return { ...model, now: Math.min(model.now, Date.parse(state.updated_at)) };
}
