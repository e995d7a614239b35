import type { Activity, RecordedEvent } from "@ccw-loop/core";
import { BATCH_BYTES, type Member, type Missed } from "./broadcast.ts";
import type { Hub } from "./hub.ts";
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
  messageBody,
  messageEnd,
} from "./messages.ts";

/**
 * Some of what journal and log have behind a member's position, up to `head`. Nothing of another loop that has the id by
 * now. Throws `loop_not_found`.
 */
export async function readMissed(
  { service }: Hub,
  { id, incarnation }: { id: string; incarnation: string },
  { kinds, position }: Member<LoopPosition>,
  head: LoopPosition,
): Promise<Missed<LoopPosition>> {
  const parts: Uint8Array[] = [];
  let size = 0;
  let at = position;
  const put = (message: readonly [string, unknown], behind: LoopPosition) => {
    at = behind;
    parts.push(messageBody(...message), messageEnd(formatPlace({ position: at, incarnation })));
    size += parts.slice(-2).reduce((sum, { length }) => sum + length, 0);
  };
  const state = await service.get(id);
  if (incarnationOf(state) !== incarnation) return { bytes: joined([]), position: head };
  const facts = kinds.has("recorded")
    ? factsBetween(
        service.events(id, lastWholeCommit(position)),
        factCounter(state),
        position,
        head,
      )
    : nothing<Fact>();
  const records = kinds.has("activity")
    ? recordsUpTo(service.activity(id, { after: position.seq }), head.seq)
    : nothing<Logged>();
  for await (const [fact, activity] of byTime(facts, records)) {
    if (size >= BATCH_BYTES) return { bytes: joined(parts), position: at };
    if (fact) put(factMessage(id, fact), { ...at, ...fact.position });
    else {
      if (activity.gap) {
        const gap = gapMessage(id, at.seq, activity.seq);
        parts.push(messageBody(...gap), messageEnd());
      }
      put(activityMessage(id, activity), { ...at, seq: activity.seq });
    }
  }
  return { bytes: joined(parts), position: head };
}

type Logged = Activity & { seq: number };

function lastWholeCommit({ revision, index }: FactPosition): number {
  return index === Number.POSITIVE_INFINITY ? revision : Math.max(0, revision - 1);
}

async function* nothing<T>(): AsyncGenerator<T> {}

async function* factsBetween(
  recorded: AsyncIterable<RecordedEvent>,
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

async function* recordsUpTo(records: AsyncIterable<Activity>, to: number): AsyncGenerator<Logged> {
  for await (const record of records) {
    const { seq = 0 } = record;
    if (seq > to) return;
    yield { ...record, seq };
  }
}

type Either = [fact: Fact, activity: null] | [fact: null, activity: Logged];

/** Both in their own order, and beside each other in the order of their times. */
async function* byTime(
  facts: AsyncGenerator<Fact>,
  records: AsyncGenerator<Logged>,
): AsyncGenerator<Either> {
  try {
    let fact = await facts.next();
    let record = await records.next();
    while (!fact.done || !record.done) {
      if (!fact.done && (record.done || isBefore(fact.value, record.value))) {
        yield [fact.value, null];
        fact = await facts.next();
      } else if (!record.done) {
        yield [null, record.value];
        record = await records.next();
      }
    }
  } finally {
    await facts.return(undefined);
    await records.return(undefined);
  }
}

/** A line of the log that somebody else wrote may have no time. */
function isBefore({ recorded }: Fact, { at }: Partial<Activity>): boolean {
  return recorded.event.at <= String(at);
}
