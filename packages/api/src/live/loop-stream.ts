import { isLoopError, LoopError, type LoopService } from "@ccw-loop/core";
import type { LiveContext } from "./context.ts";
import type { Messages } from "./event-stream.ts";
import { type Kinds, Log } from "./log.ts";
import {
  BEGINNING,
  factCounter,
  formatPlace,
  incarnationOf,
  isAhead,
  type LoopPosition,
  type StreamPosition,
} from "./loop-position.ts";
import { activityStep, factStep, readPast, type Step } from "./loop-replay.ts";
import { deletedMessage, gapMessage, greeting, joined, resyncMessage } from "./messages.ts";

/** From where a loop is read: behind a place, or each part as it is named, or (none) from now on. */
export interface LoopStart {
  kinds: Kinds;
  /** The reader sent a Last-Event-ID that cannot be read: it is told to read the loop anew. */
  lost: boolean;
  place?: StreamPosition | undefined;
  /** Facts from behind this revision on. */
  after?: number | undefined;
  /** Activity from behind this place in the log on. */
  seq?: number | undefined;
  /** Without `seq`: activity from this time on. */
  since?: string | undefined;
}

export type LoopTopic = Awaited<ReturnType<typeof loopTopic>>;

/**
 * One loop that is read: one watch for all readers. Throws `loop_not_found`. `ended` is called when the loop is deleted
 * or cannot be followed any more.
 */
export async function loopTopic(context: LiveContext, id: string, ended: () => void) {
  const { service, clock } = context;
  const stop = new AbortController();
  const base = await service.get(id);
  const loop = { id, incarnation: incarnationOf(base) };
  const begin = { ...BEGINNING, revision: base.revision ?? 0, seq: await seqBefore(service, id) };
  const log = new Log<LoopPosition>(context, begin);
  let isDeleted = false;

  async function follow(): Promise<void> {
    const positionOf = factCounter();
    const options = { after: begin.revision, seq: begin.seq, signal: stop.signal };
    for await (const event of service.watch(id, options)) {
      const { position: end } = log.end;
      let step: Step;
      if (event.kind === "recorded") {
        const { recorded } = event;
        step = factStep(loop, end, recorded, positionOf(recorded));
      } else {
        const { seq = 0 } = event.activity;
        // The log was shortened, and is counted anew: readers come back, and have it from its beginning.
        if (seq <= end.seq) return;
        step = activityStep(loop, end, { ...event.activity, seq });
      }
      log.add([event.kind], step.bytes, step.position);
    }
  }

  function finish(error?: unknown): void {
    ended();
    if (stop.signal.aborted) return;
    stop.abort();
    isDeleted = isLoopError(error, "loop_not_found");
    log.close();
  }

  async function* read(
    first: Uint8Array,
    kinds: Kinds,
    begun: LoopPosition,
    over: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    yield first;
    let from = begun;
    while (!log.isClosed && !over.aborted) {
      const { head } = log;
      const to = head.position;
      if (from !== to) {
        const past = isAhead(from, to) ? null : await readPast(context, loop, kinds, { from, to });
        // Whoever follows the loop gets there, or notices that it is gone.
        if (!past) await log.follow(head.number, over).next();
        else if (past.bytes.length > 0) yield past.bytes;
        from = past?.position ?? from;
        if (from !== to) continue;
      }
      for await (const { bytes, position } of log.follow(head.number, over, kinds)) {
        yield bytes;
        from = position;
      }
    }
    if (isDeleted) yield deletedMessage(id);
  }

  async function positionOf({ place, after, seq, since }: LoopStart): Promise<LoopPosition> {
    if (place) return place.position;
    const { position: head } = log.head;
    if (after === undefined && seq === undefined && since === undefined) return head;
    const isHere = after === undefined || after === head.revision;
    const fact = isHere ? head : { revision: after, index: Number.POSITIVE_INFINITY };
    const begun = since === undefined ? head.seq : await seqBefore(service, id, since);
    return { revision: fact.revision, index: fact.index, seq: seq ?? begun };
  }

  void follow().then(() => finish(), finish);

  return {
    /** Null when another loop has the id by now: this topic is over. Throws `loop_not_found`. */
    async messages(start: LoopStart): Promise<Messages | null> {
      const state = await service.get(id);
      if (incarnationOf(state) !== loop.incarnation) {
        finish(new LoopError("loop_not_found", `Another loop is called ${id} now.`));
        return null;
      }
      const { kinds, lost, place } = start;
      const asked = await positionOf(start);
      // Who comes from another loop that had this id before has nothing of this one.
      const isOther = place !== undefined && place.incarnation !== loop.incarnation;
      const strange = isOther || asked.revision > (state.revision ?? 0);
      const from = strange ? BEGINNING : asked;
      const isShorter =
        from.seq > log.head.position.seq && from.seq > (await seqBefore(service, id));
      const position = isShorter ? { ...from, seq: 0 } : from;
      const first = [greeting(clock.now(), formatPlace({ ...loop, position }))];
      if (lost || strange) first.push(resyncMessage({ id, revision: position.revision }));
      if (isShorter) first.push(gapMessage(id, from.seq, 0));
      return (over) => read(joined(first), kinds, position, over);
    },
    close: () => stop.abort(),
  };
}

/** The place in the log behind which the time `since` begins; without one, where the log ends. */
async function seqBefore(service: LoopService, id: string, since?: string): Promise<number> {
  let last = 0;
  for await (const { at, seq = last } of service.activity(id)) {
    if (since !== undefined && at >= since) break;
    last = seq;
  }
  return last;
}
