import { evolve, type LoopState, type RecordedEvent } from "@ccw-loop/core";
import type { FactPosition } from "./loop-position.ts";

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

/** Records of agent.log are gone: all behind `after` and before `until`, as places in the log. */
export function gapMessage(id: string, after: number, until: number) {
  return ["activity.gap", { kind: "activity.gap", id, after, until }] as const;
}

export function deletedMessage(id: string) {
  return ["loop.deleted", { kind: "deleted", id }] as const;
}

/** The place from which somebody wanted to go on is not known: read the loop anew; what follows is behind `revision`. */
export function resyncMessage(id: string, revision: number) {
  return ["resync", { kind: "resync", id, revision }] as const;
}

const encoder = new TextEncoder();

/** The content type of event streams (HTML Standard, Server-sent events). */
export const EVENT_STREAM = "text/event-stream";

/**
 * A message up to its id. `name` is one of our own words; whatever text `data` holds is inside of JSON, which has no
 * raw line end and no NUL, so it cannot end the message or begin another.
 */
export function messageBody(name: string, data: unknown): Uint8Array {
  return encoder.encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n`);
}

/** The end of a message; a stream can be resumed behind `id`. */
export function messageEnd(id?: string): Uint8Array {
  return encoder.encode(id === undefined ? "\n" : `id: ${id}\n\n`);
}

/** How long a client waits before it comes back, in milliseconds. */
export function retryHint(ms: number): Uint8Array {
  return encoder.encode(`retry: ${ms}\n`);
}

/** A message without a name, as upstream's frames are sent. */
export function plainMessage(json: string): Uint8Array {
  return encoder.encode(`data: ${json}\n\n`);
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
