import { isLoopError, LoopError, type LoopService } from "@ccw-loop/core";
import { Broadcast, type Kinds, type Member, type Missed } from "./broadcast.ts";
import type { Hub } from "./hub.ts";
import type { Listener } from "./listener.ts";
import {
  BEGINNING,
  formatPlace,
  incarnationOf,
  isAhead,
  type LoopPosition,
  type StreamPosition,
} from "./loop-position.ts";
import { readMissed } from "./loop-replay.ts";
import {
  activityMessage,
  deletedMessage,
  factCounter,
  factMessage,
  gapMessage,
  joined,
  messageBody,
  messageEnd,
  resyncMessage,
} from "./messages.ts";

/** From where somebody listens to a loop: behind a place, or each part as it is named, or (none) from now on. */
export interface LoopStart {
  place?: StreamPosition | undefined;
  /** Facts from behind this revision on. */
  after?: number | undefined;
  /** Activity from behind this place in the log on. */
  seq?: number | undefined;
  /** Without `seq`: activity from this time on. */
  since?: string | undefined;
}

/** One loop that somebody listens to: one watch for all of them. */
export interface LoopTopic {
  /** False when another loop has the id by now: this topic is over. Throws `loop_not_found`. */
  join(listener: Listener, start: LoopStart & { kinds: Kinds; lost: boolean }): Promise<boolean>;
  close(): void;
}

/** Throws `loop_not_found`. `ended` is called when the loop is deleted or cannot be followed any more. */
export async function loopTopic(hub: Hub, id: string, ended: () => void): Promise<LoopTopic> {
  const { service } = hub;
  const stop = new AbortController();
  const base = await service.get(id);
  const incarnation = incarnationOf(base);
  const idOf = (position: LoopPosition) => formatPlace({ position, incarnation });
  const begin = { ...BEGINNING, revision: base.revision ?? 0, seq: await seqBefore(service, id) };
  const broadcast = new Broadcast<LoopPosition>(hub, begin, missed);
  const listeners = new Set<Listener>();

  async function follow(): Promise<void> {
    const factOf = factCounter(base);
    const options = { after: begin.revision, seq: begin.seq, signal: stop.signal };
    for await (const event of service.watch(id, options)) {
      const { end } = broadcast;
      if (event.kind === "recorded") {
        const fact = factOf(event.recorded);
        add("recorded", factMessage(id, fact), { ...end, ...fact.position });
        continue;
      }
      const { seq = 0, gap } = event.activity;
      // The log was shortened, and is counted anew: whoever listens comes back, and has it from its beginning.
      if (seq <= end.seq) return;
      if (gap) broadcast.add({ kind: "activity", bytes: gapBytes(end.seq, seq), position: end });
      add("activity", activityMessage(id, event.activity), { ...end, seq });
    }
  }

  function add(
    kind: "recorded" | "activity",
    message: readonly [string, unknown],
    position: LoopPosition,
  ): void {
    const bytes = joined([messageBody(...message), messageEnd(idOf(position))]);
    broadcast.add({ kind, bytes, position });
  }

  function gapBytes(after: number, until: number): Uint8Array {
    return joined([messageBody(...gapMessage(id, after, until)), messageEnd()]);
  }

  async function missed(
    member: Member<LoopPosition>,
    head: LoopPosition,
  ): Promise<Missed<LoopPosition> | null> {
    if (isAhead(member.position, head)) return null;
    try {
      return await hub.turns.take(() => readMissed(hub, { id, incarnation }, member, head));
    } catch (error) {
      // Whoever follows it says so in a moment.
      if (isLoopError(error, "loop_not_found")) return null;
      throw error;
    }
  }

  function finish(error?: unknown): void {
    ended();
    if (stop.signal.aborted) return;
    stop.abort();
    broadcast.flush();
    const deleted = isLoopError(error, "loop_not_found");
    const last = joined([messageBody(...deletedMessage(id)), messageEnd()]);
    for (const listener of [...listeners]) {
      if (deleted) listener.write(last);
      listener.end();
    }
  }

  async function positionOf({ place, after, seq, since }: LoopStart): Promise<LoopPosition> {
    if (place) return place.position;
    const { head } = broadcast;
    if (after === undefined && seq === undefined && since === undefined) return head;
    const isHere = after === undefined || after === head.revision;
    const fact = isHere ? head : { revision: after, index: Number.POSITIVE_INFINITY };
    const begun = since === undefined ? head.seq : await seqBefore(service, id, since);
    return { revision: fact.revision, index: fact.index, seq: seq ?? begun };
  }

  void follow().then(() => finish(), finish);

  return {
    async join(listener, { kinds, lost, ...start }) {
      const state = await service.get(id);
      if (incarnationOf(state) !== incarnation) {
        finish(new LoopError("loop_not_found", `Another loop is called ${id} now.`));
        return false;
      }
      const { place } = start;
      const asked = await positionOf(start);
      // Who comes from another loop that had this id before has nothing of this one.
      const isOther = place !== undefined && place.incarnation !== incarnation;
      const strange = isOther || asked.revision > (state.revision ?? 0);
      const from = strange ? BEGINNING : asked;
      const isShorter = from.seq > broadcast.head.seq && from.seq > (await seqBefore(service, id));
      const position = isShorter ? { ...from, seq: 0 } : from;
      if (stop.signal.aborted) listener.end();
      listener.write(hub.greeting(idOf(position)));
      if (lost || strange) {
        const resync = messageBody(...resyncMessage(id, position.revision));
        listener.write(joined([resync, messageEnd()]));
      }
      if (isShorter) listener.write(gapBytes(from.seq, 0));
      listeners.add(listener);
      listener.onLeave(() => listeners.delete(listener));
      broadcast.join({ listener, kinds, position });
      return true;
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
