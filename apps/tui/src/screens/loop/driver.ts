import type { Driver, LiveEvent } from "@ccw-loop/core";
import { undrivenAmong } from "../../model/loops.ts";
import { type Model, openedState } from "../../model/model.ts";
import type { LoopScreenState } from "../../model/screen-states.ts";

/** With who drives that loop, as it was said last. */
export function withDriver(model: Model, id: string, { driven_by, undriven_since }: Driver): Model {
  const driver = { driven_by, undriven_since };
  const stack = model.stack.map((screen) =>
    screen.kind === "loop" && screen.id === id ? { ...screen, driver } : screen,
  );
  return { ...model, stack };
}

/** With the loops that nobody drives, by the time since when; of another one that nobody drove it is not known who does. */
export function withUndriven(model: Model, since: ReadonlyMap<string, string>): Model {
  const loops = undrivenAmong(model.loops, since);
  const stack = model.stack.map((screen) => {
    if (screen.kind !== "loop") return screen;
    const now = since.get(screen.id) ?? null;
    if ((screen.driver?.undriven_since ?? null) === now) return screen;
    const driver = now === null ? undefined : { driven_by: null, undriven_since: now };
    return { ...screen, driver };
  });
  const isSame = loops === model.loops && stack.every((screen, i) => screen === model.stack[i]);
  return isSame ? model : { ...model, loops, stack };
}

/** Who begins an action of a loop drives it. */
export function withDriverFromEvents(model: Model, events: readonly LiveEvent[]): Model {
  const begun = events.findLast(
    (live) => live.kind === "recorded" && live.recorded.event.type === "action.started",
  );
  if (begun?.kind !== "recorded") return model;
  return withDriver(model, begun.id, { driven_by: begun.recorded.actor, undriven_since: null });
}

/** It is to run, and nobody drives it, as far as was said. */
export function isKnownUndriven({ id, driver }: LoopScreenState, model: Model): boolean {
  const state = openedState(model);
  const runs = state?.status === "running" && state.waiting === undefined;
  return runs && driver?.driven_by === null && !model.driven.has(id);
}

/** At the last change of a loop that nobody drives: since then no time is used. */
export function withFrozenClock(screen: LoopScreenState, model: Model): Model {
  const state = openedState(model);
  if (!state || !isKnownUndriven(screen, model)) return model;
  return { ...model, now: Math.min(model.now, Date.parse(state.updated_at)) };
}
