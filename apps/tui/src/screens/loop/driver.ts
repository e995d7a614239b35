import type { LiveEvent } from "@ccw-loop/core";
import { type Model, openedState } from "../../model/model.ts";
import type { LoopScreenState } from "./state.ts";

/** With who drives that loop, as it was said last. */
export function withDriver(model: Model, id: string, drivenBy: string | null): Model {
  const stack = model.stack.map((screen) =>
    screen.kind === "loop" && screen.id === id ? { ...screen, drivenBy } : screen,
  );
  return { ...model, stack };
}

/** Who begins an action of a loop drives it. */
export function withDriverOf(model: Model, events: readonly LiveEvent[]): Model {
  const begun = events.findLast(
    (live) => live.kind === "recorded" && live.recorded.event.type === "action.started",
  );
  return begun?.kind === "recorded" ? withDriver(model, begun.id, begun.recorded.actor) : model;
}

/** It is to run, and nobody drives it, as far as was said. */
export function isAlone({ id, drivenBy }: LoopScreenState, model: Model): boolean {
  const state = openedState(model);
  const runs = state?.status === "running" && state.waiting === undefined;
  return runs && drivenBy === null && !model.driven.has(id);
}

/** At the last change of a loop that nobody drives: since then no time is used. */
export function stilled(screen: LoopScreenState, model: Model): Model {
  const state = openedState(model);
  if (!state || !isAlone(screen, model)) return model;
  return { ...model, now: Math.min(model.now, Date.parse(state.updated_at)) };
}
