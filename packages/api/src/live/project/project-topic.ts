import { activityMessage, deletedMessage, factCounter, factMessage } from "../messages.ts";
import type { Kinds } from "../stream/channel.ts";
import { Batch, ReplayGroup } from "../stream/convoy.ts";
import { joined, messageBody, messageEnd } from "../stream/frame.ts";
import type { Hub } from "../stream/hub.ts";
import type { Listener } from "../stream/listener.ts";
import { everyLoop, type Feed, type LoopChange } from "./feed.ts";
import { formatProjectPosition, type ProjectPosition } from "./project-position.ts";
import { ActivityFollowers } from "./tails.ts";

/** Clocks and commits may be apart by so much. */
const OVERLAP_MS = 60_000;

export interface ProjectStart {
  kinds: Kinds;
  position: ProjectPosition | null;
  /** It came with an id that says nothing. */
  lost: boolean;
}

export interface ProjectTopic {
  join(listener: Listener, start: ProjectStart): void;
  close(): void;
}

interface Returning {
  listener: Listener;
  kinds: Kinds;
  /** RFC 3339: it may lack what happened since then. */
  since: string;
  /** Where it goes on when it has the past. */
  at: ProjectPosition;
}

/** The messages of all loops; `ended` when there are no more. */
export function projectTopic(hub: Hub, feed: Feed, ended: () => void): ProjectTopic {
  const instance = crypto.randomUUID().slice(0, 8);
  const channel = hub.channel(positionOf(0), formatProjectPosition);
  const { ring } = channel;
  const listeners = new Set<Listener>();
  const tails = new ActivityFollowers(hub, feed, (id, activity) => {
    channel.add("activity", positionOf(ring.head + 1), ...activityMessage(id, activity));
  });
  const convoy = new ReplayGroup<Returning>(givePast);

  function positionOf(seq: number): ProjectPosition {
    return { instance, seq, ms: hub.clock.now().getTime() };
  }

  function changed(change: LoopChange): void {
    const { id, state, facts } = change;
    if (state === null) channel.add("notice", positionOf(ring.head + 1), ...deletedMessage(id));
    else {
      const factOf = factCounter(state);
      for (const recorded of facts) {
        const message = factMessage(id, factOf(recorded));
        channel.add("recorded", positionOf(ring.head + 1), ...message);
      }
    }
    tails.changed(change);
  }

  async function givePast(members: Returning[]): Promise<void> {
    const batches = members.map(({ listener }) => new Batch(hub, listener));
    try {
      for await (const { body, at } of factsSince(hub, members)) {
        members.forEach(({ since }, n) => {
          if (at >= since) batches[n]?.add(body, messageEnd());
        });
        const full = batches.filter(({ isFull }) => isFull);
        if (full.length > 0) await Promise.all(full.map((batch) => batch.flush()));
      }
      await Promise.all(batches.map((batch) => batch.flush()));
    } catch {
      for (const { listener } of members) listener.end();
    }
    for (const { listener, kinds, at } of members) {
      if (listener.open) listener.write(hub.greeting(formatProjectPosition(at)));
      channel.attach(listener, { kinds, next: at.seq });
    }
  }

  function begin(listener: Listener, { kinds, position, lost }: ProjectStart): void {
    const now = positionOf(ring.head);
    const here = position?.instance === instance && position.seq <= ring.head;
    const known = here && position.seq >= ring.first ? position : null;
    if (known || (!position && !lost)) {
      const from = known ?? now;
      listener.write(hub.greeting(formatProjectPosition(from)));
      channel.attach(listener, { kinds, next: from.seq });
      return;
    }
    const since = position && new Date(Math.min(position.ms, now.ms) - OVERLAP_MS).toISOString();
    const resync = messageBody("resync", { kind: "resync", since });
    listener.write(joined([resync, messageEnd()]));
    if (since !== null && kinds.has("recorded")) convoy.join({ listener, kinds, since, at: now });
    else {
      listener.write(hub.greeting(formatProjectPosition(now)));
      channel.attach(listener, { kinds, next: now.seq });
    }
  }

  const unsubscribe = feed.subscribe(changed, () => {
    ended();
    channel.flush();
    for (const listener of [...listeners]) listener.end();
  });

  return {
    join(listener, start) {
      const content = start.kinds.has("activity") ? tails.want() : () => {};
      listeners.add(listener);
      listener.onLeave(() => {
        content();
        listeners.delete(listener);
        channel.detach(listener);
      });
      begin(listener, start);
    },
    close() {
      unsubscribe();
      tails.close();
      hub.channelClosed();
    },
  };
}

/** The facts since the earliest moment that one of `members` names, loop by loop. */
async function* factsSince(
  hub: Hub,
  members: readonly Returning[],
): AsyncGenerator<{ body: Uint8Array; at: string }> {
  const since = members.map((member) => member.since).reduce((a, b) => (a < b ? a : b));
  for await (const state of everyLoop(hub, since)) {
    const factOf = factCounter(state);
    for await (const recorded of hub.service.events(state.loop_id)) {
      const fact = factOf(recorded);
      const { at } = recorded.event;
      if (at < since) continue;
      yield { body: messageBody(...factMessage(state.loop_id, fact)), at };
    }
  }
}
