import { evolve, type LoopState, type RecordedEvent } from "@ccw-loop/core";
import type { FactPosition } from "./loop/position.ts";

/** What a screen shows of a loop before it reads more. */
type Shown = Pick<LoopState, "status" | "current_iteration" | "updated_at"> & {
  action: LoopState["action"] | null;
  waiting: LoopState["waiting"] | null;
};

/** A fact with its number within its commit. */
export interface Fact {
  recorded: RecordedEvent;
  position: FactPosition;
  /** Of the loop behind this fact; absent in the past, which newer facts have overtaken. */
  state?: Shown;
}

/** Numbers facts, which come in whole commits, and says what they made of the loop from the state `base` on. */
export function factCounter(base: LoopState): (recorded: RecordedEvent) => Fact {
  const newest = base.revision ?? 0;
  let state = base;
  let revision = 0;
  let index = 0;
  return (recorded) => {
    index = recorded.revision === revision ? index + 1 : 0;
    revision = recorded.revision;
    if (revision > newest) state = evolve(state, recorded.event);
    const fact = { recorded, position: { revision, index } };
    return revision < newest ? fact : { ...fact, state: shown(state) };
  };
}

function shown({ status, current_iteration, updated_at, action, waiting }: LoopState): Shown {
  return {
    status,
    current_iteration,
    action: action ?? null,
    waiting: waiting ?? null,
    updated_at,
  };
}

/** The message of a fact: name and data. */
export function factMessage(id: string, { recorded, position, state }: Fact) {
  const name = recorded.event.type;
  return [name, { kind: "recorded", id, recorded, index: position.index, state }] as const;
}

/** The message of what the agent or the tests do. */
export function activityMessage(id: string, activity: unknown) {
  return ["activity", { kind: "activity", id, activity }] as const;
}

/** Records of agent.log are gone: all that came behind `after` and before `until` (times; null when none is there). */
export function gapMessage(id: string, after: string, until: string | null) {
  return ["activity.gap", { kind: "activity.gap", id, after, until }] as const;
}

export function deletedMessage(id: string) {
  return ["loop.deleted", { kind: "deleted", id }] as const;
}

/** The place from which somebody wanted to go on is not known: read the loop anew; what follows is behind `revision`. */
export function resyncMessage(id: string, revision: number) {
  return ["resync", { kind: "resync", id, revision }] as const;
}
