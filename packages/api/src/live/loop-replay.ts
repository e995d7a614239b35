import type { Activity, LoopService, RecordedEvent } from "@ccw-loop/core";
import type { Kinds } from "./channel.ts";
import { Batch, type Hub } from "./hub.ts";
import type { Listener } from "./listener.ts";
import {
  isLaterFact,
  LOG_START,
  type LogRecord,
  type LoopPosition,
  logCounter,
  logSeeker,
  type Sought,
  timeText,
} from "./loop-position.ts";
import {
  activityMessage,
  type Fact,
  factCounter,
  factMessage,
  gapMessage,
  messageBody,
  messageEnd,
} from "./messages.ts";

/** A listener that is being given the past. */
export interface ReplayClient {
  listener: Listener;
  kinds: Kinds;
  position: LoopPosition;
  /** How often it went through the past and did not arrive where the ring begins. */
  rounds: number;
}

/** A loop, and how messages of its stream are named. */
export interface ReplayedLoop {
  id: string;
  idOf: (position: LoopPosition) => string;
}

/** Gives all of them what journal and log have behind their positions, which move on. */
export async function replay(
  hub: Hub,
  { id, idOf }: ReplayedLoop,
  travellers: readonly ReplayClient[],
): Promise<void> {
  const bodyOf = encodedOnce();
  const putting = { id, idOf, bodyOf };
  const givers = travellers.map((traveller) => giver(hub, traveller, putting));
  for await (const item of pastOf(hub.service, id, travellers)) {
    for (const one of givers) one.give(item);
    const full = givers.filter(({ batch }) => batch.isFull);
    if (full.length > 0) await Promise.all(full.map(({ batch }) => batch.flush()));
  }
  for (const one of givers) one.end();
  await Promise.all(givers.map(({ batch }) => batch.flush()));
}

type Past = { fact: Fact } | { record: LogRecord };

async function* pastOf(
  service: LoopService,
  id: string,
  travellers: readonly ReplayClient[],
): AsyncGenerator<Past> {
  const forFacts = travellers.filter(({ kinds }) => kinds.has("recorded"));
  const after = Math.min(...forFacts.map(({ position }) => lastWholeCommit(position)));
  const factOf = factCounter(await service.get(id));
  const recordOf = logCounter(LOG_START);
  const facts = forFacts.length > 0 ? service.events(id, after) : nothing<RecordedEvent>();
  const logged = travellers.some(({ kinds }) => kinds.has("activity"));
  const records = logged ? service.activity(id) : nothing<Activity>();
  for await (const [recorded, activity] of byTime(facts, records)) {
    yield recorded ? { fact: factOf(recorded) } : { record: recordOf(activity) };
  }
}

function lastWholeCommit({ fact }: LoopPosition): number {
  return fact.index === Number.POSITIVE_INFINITY ? fact.revision : Math.max(0, fact.revision - 1);
}

async function* nothing<T>(): AsyncGenerator<T> {}

type Either = [recorded: RecordedEvent, activity: null] | [recorded: null, activity: Activity];

/** Both in their own order, and beside each other in the order of their times. */
async function* byTime(
  facts: AsyncIterable<RecordedEvent>,
  records: AsyncIterable<Activity>,
): AsyncGenerator<Either> {
  const ofFacts = facts[Symbol.asyncIterator]();
  const ofRecords = records[Symbol.asyncIterator]();
  try {
    let fact = await ofFacts.next();
    let record = await ofRecords.next();
    while (!fact.done || !record.done) {
      if (!fact.done && (record.done || fact.value.event.at <= timeText(record.value))) {
        yield [fact.value, null];
        fact = await ofFacts.next();
      } else if (!record.done) {
        yield [null, record.value];
        record = await ofRecords.next();
      }
    }
  } finally {
    await ofFacts.return?.();
    await ofRecords.return?.();
  }
}

type BodyOf = (of: object, message: () => readonly [string, unknown]) => Uint8Array;

/** The body of a message, made when the first traveller needs it. */
function encodedOnce(): BodyOf {
  const bodies = new WeakMap<object, Uint8Array>();
  return (of, message) => {
    const body = bodies.get(of) ?? messageBody(...message());
    bodies.set(of, body);
    return body;
  };
}

function giver(
  hub: Hub,
  traveller: ReplayClient,
  { id, idOf, bodyOf }: ReplayedLoop & { bodyOf: BodyOf },
) {
  const { kinds, listener } = traveller;
  const batch = new Batch(hub, listener);
  const seek = logSeeker(traveller.position.activity);
  const after = new Date(traveller.position.activity.ms).toISOString();

  function giveFact(fact: Fact): void {
    const { position } = traveller;
    if (!isLaterFact(fact.position, position.fact)) return;
    traveller.position = { ...position, fact: fact.position };
    put(bodyOf(fact, () => factMessage(id, fact)));
  }

  function giveRecords({ records, gap }: Sought): void {
    if (gap) {
      const until = records[0] ? timeText(records[0].activity) : null;
      batch.add(messageBody(...gapMessage(id, after, until)), messageEnd());
    }
    for (const record of records) {
      traveller.position = { ...traveller.position, activity: record.position };
      put(bodyOf(record, () => activityMessage(id, record.activity)));
    }
  }

  /** All that the journal has was read, so its last commit was read whole. */
  function finishCommit(): void {
    const { position } = traveller;
    const fact = { ...position.fact, index: Number.POSITIVE_INFINITY };
    traveller.position = { ...position, fact };
  }

  function finishLog(): void {
    const last = seek(null);
    giveRecords(last);
    // Where it was is not in the log any more: what is there comes in the next round.
    if (last.gap && last.records.length === 0) {
      traveller.position = { ...traveller.position, activity: LOG_START };
    }
  }

  function put(body: Uint8Array): void {
    batch.add(body, messageEnd(idOf(traveller.position)));
  }

  return {
    batch,
    give(item: Past): void {
      if (!listener.open) return;
      if ("fact" in item) {
        if (kinds.has("recorded")) giveFact(item.fact);
      } else if (kinds.has("activity")) giveRecords(seek(item.record));
    },
    end(): void {
      if (!listener.open) return;
      if (kinds.has("recorded")) finishCommit();
      if (kinds.has("activity")) finishLog();
    },
  };
}
