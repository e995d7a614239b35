import type { LiveEvent } from "@ccw-loop/core";
import type { Model } from "../../model/model.ts";

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
