import {
  evolve,
  type LoopEvent,
  type LoopState,
  limitReached,
  outcomeOf,
  type RecordedEvent,
  selectNextAction,
} from "@ccw-loop/core";

const FROM: Partial<Record<LoopEvent["type"], readonly string[]>> = {
  "loop.started": ["created", "paused"],
  "loop.paused": ["running"],
  "loop.resumed": ["paused", "user_exit", "failed", "completed"],
  "loop.stopped": ["created", "running", "paused"],
  "loop.exited": ["running", "paused"],
  "loop.completed": ["running"],
  "loop.failed": ["running", "paused"],
};

/** An event that could not happen in the state before it, and which promise that breaks. */
export interface Wrong {
  promise: 1 | 2 | 4;
  why: string;
}

/** Folds a journal into its state and finds every event that could not happen then. */
export function replayed(recorded: readonly RecordedEvent[]): {
  state: LoopState;
  wrong: Wrong[];
} {
  const wrong: Wrong[] = [];
  let state: LoopState | undefined;
  for (const { revision, event } of recorded) {
    const found = state && objection(state, event);
    if (found) wrong.push({ ...found, why: `revision ${revision}: ${event.type} ${found.why}` });
    state = evolve(state, event);
  }
  if (!state) throw new TypeError("A loop has at least one event.");
  return { state, wrong };
}

function objection(state: LoopState, event: LoopEvent): Wrong | null {
  const from = FROM[event.type];
  if (from && !from.includes(state.status)) {
    return { promise: 2, why: `of a ${state.status} loop` };
  }
  if (event.type === "action.started") {
    const { action, reason } = selectNextAction(state);
    const why = `${event.action}, but ${action} is next: ${reason}`;
    // A loop that has ended or is paused does nothing, whatever its limits say.
    const ranAway = state.status === "running" && limitReached(state) !== undefined;
    if (action !== event.action) return { promise: ranAway ? 4 : 2, why };
  }
  if (event.type === "loop.completed" && outcomeOf(state).status !== "completed") {
    return { promise: 1, why: "although nothing proves it" };
  }
  return null;
}
