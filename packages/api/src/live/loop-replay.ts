import { type Activity, isLoopError, type RecordedEvent } from "@ccw-loop/core";
import type { LiveContext } from "./context.ts";
import type { Kinds } from "./log.ts";
import {
  type FactPosition,
  formatPlace,
  incarnationOf,
  isLaterFact,
  type LoopPosition,
} from "./loop-position.ts";
import {
  activityMessage,
  type Fact,
  factCounter,
  factMessage,
  gapMessage,
  joined,
} from "./messages.ts";

/** One of the loops that had an id. */
export interface Incarnation {
  id: string;
  incarnation: string;
}

/** Messages, and where their reader is behind them. */
export interface Step {
  bytes: Uint8Array;
  position: LoopPosition;
}

/**
 * Some of what journal and agent.log have between two positions; the last part has `to` itself as its position. Null
 * when the loop is gone, also where another one has its id by now.
 */
export async function readPast(
  { service, limits, turns }: LiveContext,
  loop: Incarnation,
  kinds: Kinds,
  { from, to }: { from: LoopPosition; to: LoopPosition },
): Promise<Step | null> {
  const { id, incarnation } = loop;
  const parts: Uint8Array[] = [];
  let size = 0;
  let position = from;
  await turns.take();
  try {
    const state = await service.get(id);
    if (incarnationOf(state) !== incarnation) return null;
    const known = from.index === Number.POSITIVE_INFINITY ? from.revision : from.revision - 1;
    const recorded = kinds.has("recorded") ? service.events(id, Math.max(0, known)) : [];
    const facts = factsBetween(recorded, factCounter(state), from, to);
    const activities = kinds.has("activity") ? service.activity(id, { after: from.seq }) : [];
    const records = recordsUpTo(activities, to.seq);
    for await (const [fact, activity] of byTime(facts, records)) {
      if (size >= limits.streamBytes) return { bytes: joined(parts), position };
      const step = fact ? factStep(loop, position, fact) : activityStep(loop, position, activity);
      position = step.position;
      parts.push(step.bytes);
      size += step.bytes.length;
    }
    return { bytes: joined(parts), position: to };
  } catch (error) {
    if (isLoopError(error, "loop_not_found")) return null;
    throw error;
  } finally {
    turns.giveBack();
  }
}

export function factStep(loop: Incarnation, before: LoopPosition, fact: Fact): Step {
  const position = { ...before, ...fact.position };
  return { bytes: factMessage(loop.id, fact, formatPlace({ ...loop, position })), position };
}

type NumberedActivity = Activity & { seq: number };

/** Also says which records before it are gone. */
export function activityStep(
  loop: Incarnation,
  before: LoopPosition,
  activity: NumberedActivity,
): Step {
  const { gap, seq } = activity;
  const position = { ...before, seq };
  const bytes = activityMessage(loop.id, activity, formatPlace({ ...loop, position }));
  if (!gap) return { bytes, position };
  return { bytes: joined([gapMessage(loop.id, before.seq, seq), bytes]), position };
}

async function* factsBetween(
  recorded: AsyncIterable<RecordedEvent> | RecordedEvent[],
  factOf: (recorded: RecordedEvent) => Fact,
  from: FactPosition,
  to: FactPosition,
): AsyncGenerator<Fact> {
  for await (const one of recorded) {
    const fact = factOf(one);
    if (isLaterFact(fact.position, to)) return;
    if (isLaterFact(fact.position, from)) yield fact;
  }
}

async function* recordsUpTo(
  records: AsyncIterable<Activity> | Activity[],
  to: number,
): AsyncGenerator<NumberedActivity> {
  for await (const record of records) {
    const { seq = 0 } = record;
    if (seq > to) return;
    yield { ...record, seq };
  }
}

type Either = [fact: Fact, activity: null] | [fact: null, activity: NumberedActivity];

/** Both in their own order, and beside each other in the order of their times. */
async function* byTime(
  facts: AsyncGenerator<Fact>,
  records: AsyncGenerator<NumberedActivity>,
): AsyncGenerator<Either> {
  let record = await records.next();
  try {
    for await (const fact of facts) {
      for (; !record.done && !isBefore(fact, record.value); record = await records.next()) {
        yield [null, record.value];
      }
      yield [fact, null];
    }
    for (; !record.done; record = await records.next()) yield [null, record.value];
  } finally {
    await records.return(undefined);
  }
}

/** A line of the log that somebody else wrote may have no time. */
function isBefore({ recorded }: Fact, { at }: Partial<Activity>): boolean {
  return recorded.event.at <= String(at);
}
