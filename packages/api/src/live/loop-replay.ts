import { type Activity, isLoopError, type LoopService, type RecordedEvent } from "@ccw-loop/core";
import type { LiveContext } from "./context.ts";
import type { Kinds } from "./log.ts";
import {
  type FactPosition,
  factCounter,
  formatPlace,
  incarnationOf,
  isLaterFact,
  type LoopPosition,
} from "./loop-position.ts";
import { activityMessage, factMessage, gapMessage, joined } from "./messages.ts";

/** One of the loops that had an id. */
export interface Incarnation {
  id: string;
  incarnation: string;
}

export interface Step {
  bytes: Uint8Array;
  position: LoopPosition;
}

/** What somebody missed: everything between two positions. */
interface Missed {
  from: LoopPosition;
  to: LoopPosition;
}

/**
 * Some of what journal and agent.log have between two positions; the last part has `to` itself as its position. Null
 * when the loop is gone, also where another one has its id by now.
 */
export async function readPast(
  { service, limits }: LiveContext,
  loop: Incarnation,
  kinds: Kinds,
  missed: Missed,
): Promise<Step | null> {
  const parts: Uint8Array[] = [];
  let size = 0;
  let position = missed.from;
  try {
    if (incarnationOf(await service.get(loop.id)) !== loop.incarnation) return null;
    for await (const step of stepsOf(service, loop, kinds, missed)) {
      parts.push(step.bytes);
      size += step.bytes.length;
      position = step.position;
      if (size >= limits.streamBytes) return { bytes: joined(parts), position };
    }
    return { bytes: joined(parts), position: missed.to };
  } catch (error) {
    if (isLoopError(error, "loop_not_found")) return null;
    throw error;
  }
}

/** The facts, then the records of the log. */
async function* stepsOf(
  service: LoopService,
  loop: Incarnation,
  kinds: Kinds,
  { from, to }: Missed,
): AsyncGenerator<Step> {
  if (kinds.has("recorded")) {
    const known = from.index === Number.POSITIVE_INFINITY ? from.revision : from.revision - 1;
    const positionOf = factCounter();
    for await (const recorded of service.events(loop.id, Math.max(0, known))) {
      const fact = positionOf(recorded);
      if (isLaterFact(fact, to)) break;
      if (isLaterFact(fact, from)) yield factStep(loop, from, recorded, fact);
    }
  }
  if (!kinds.has("activity")) return;
  let position = { ...to, seq: from.seq };
  for await (const activity of service.activity(loop.id, { after: from.seq })) {
    const { seq = 0 } = activity;
    if (seq > to.seq) return;
    const step = activityStep(loop, position, { ...activity, seq });
    position = step.position;
    yield step;
  }
}

export function factStep(
  loop: Incarnation,
  before: LoopPosition,
  recorded: RecordedEvent,
  fact: FactPosition,
): Step {
  const position = { ...before, ...fact };
  const place = formatPlace({ ...loop, position });
  return { bytes: factMessage(loop.id, recorded, fact.index, place), position };
}

/** Also says which records before it are gone. */
export function activityStep(
  loop: Incarnation,
  before: LoopPosition,
  activity: Activity & { seq: number },
): Step {
  const { gap, seq } = activity;
  const position = { ...before, seq };
  const bytes = activityMessage(loop.id, activity, formatPlace({ ...loop, position }));
  if (!gap) return { bytes, position };
  return { bytes: joined([gapMessage(loop.id, before.seq, seq), bytes]), position };
}
