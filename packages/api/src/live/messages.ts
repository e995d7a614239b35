import type { Activity, LoopSummary, RecordedEvent } from "@ccw-loop/core";

/** `index`: the fact's number within its commit. */
export function factMessage(
  id: string,
  recorded: RecordedEvent,
  index: number,
  place?: string,
): Uint8Array {
  return message(recorded.event.type, { kind: "recorded", id, recorded, index }, place);
}

export function summaryMessage(summary: LoopSummary, place?: string): Uint8Array {
  return message("loop.summary", { kind: "summary", id: summary.id, summary }, place);
}

export function activityMessage(id: string, activity: Activity, place: string): Uint8Array {
  return message("activity", { kind: "activity", id, activity }, place);
}

/** Records of agent.log are gone: all behind `after` and before `until`, as places in the log. */
export function gapMessage(id: string, after: number, until: number): Uint8Array {
  return message("activity.gap", { kind: "activity.gap", id, after, until });
}

export function deletedMessage(id: string, place?: string): Uint8Array {
  return message("loop.deleted", { kind: "deleted", id }, place);
}

/** The place from which somebody wanted to go on is not known; the other fields say what follows. */
export function resyncMessage(fields: { id: string; revision: number } | { since: string | null }) {
  return message("resync", { kind: "resync", ...fields });
}

export function pingMessage(now: Date, place?: string): Uint8Array {
  return message("ping", { at: now.toISOString() }, place);
}

const RETRY = encoded("retry: 2000\n");

/** The first message of a stream: it says how to come back, and where to when nothing follows. */
export function greeting(now: Date, place?: string): Uint8Array {
  return joined([RETRY, pingMessage(now, place)]);
}

/** A message without a name, as upstream's frames are sent. */
export function plainMessage(data: unknown): Uint8Array {
  return encoded(`data: ${JSON.stringify(data)}\n\n`);
}

/**
 * `name` is one of our own words; whatever text `data` holds is inside of JSON, which has no raw line end and no NUL, so
 * it cannot end the message or begin another. A stream can be resumed behind `place`.
 */
function message(name: string, data: unknown, place?: string): Uint8Array {
  const id = place === undefined ? "" : `id: ${place}\n`;
  return encoded(`event: ${name}\ndata: ${JSON.stringify(data)}\n${id}\n`);
}

function encoded(text: string): Uint8Array {
  return new TextEncoder().encode(text);
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
