import type { Activity } from "@ccw-loop/core";
import type { Kinds } from "./channel.ts";
import { Batch, type Hub, ReplayGroup } from "./hub.ts";
import type { Listener } from "./listener.ts";
import {
  activityMessage,
  deletedMessage,
  factCounter,
  factMessage,
  joined,
  messageBody,
  messageEnd,
} from "./messages.ts";
import { everyLoop, type Feed, type LoopChange } from "./project-feed.ts";

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

/** The last lines of a log come a little after the fact that ended the work. */
const LINGER_MS = 1000;

/** Follows what the agents of running loops do, while somebody wants it. */
export class ActivityFollowers {
  readonly #hub: Hub;
  readonly #feed: Feed;
  readonly #heard: (id: string, activity: Activity) => void;
  readonly #open = new Map<string, AbortController>();
  #wanted = 0;

  constructor(hub: Hub, feed: Feed, heard: (id: string, activity: Activity) => void) {
    this.#hub = hub;
    this.#feed = feed;
    this.#heard = heard;
  }

  /** Returns what ends the wish. */
  want(): () => void {
    this.#wanted += 1;
    const now = this.#hub.clock.now().toISOString();
    if (this.#wanted === 1) for (const id of this.#feed.running()) this.#begin(id, now);
    return () => {
      this.#wanted -= 1;
      if (this.#wanted === 0) this.close();
    };
  }

  changed({ id, state, facts }: LoopChange): void {
    if (this.#wanted === 0) return;
    const since = facts[0]?.event.at ?? this.#hub.clock.now().toISOString();
    if (state?.status === "running") this.#begin(id, since);
    else void this.#end(id);
  }

  close(): void {
    for (const stop of this.#open.values()) stop.abort();
    this.#open.clear();
  }

  #begin(id: string, since: string): void {
    if (this.#open.has(id)) return;
    const stop = new AbortController();
    this.#open.set(id, stop);
    void this.#follow(id, since, stop.signal)
      .catch(() => undefined)
      .then(() => this.#forget(id, stop));
  }

  async #follow(id: string, since: string, signal: AbortSignal): Promise<void> {
    const { revision = 0 } = await this.#hub.service.get(id);
    for await (const event of this.#hub.service.watch(id, { after: revision, since, signal })) {
      if (event.kind === "activity" && !signal.aborted) this.#heard(id, event.activity);
    }
  }

  async #end(id: string): Promise<void> {
    const stop = this.#open.get(id);
    if (!stop) return;
    await this.#hub.clock.sleep(LINGER_MS, stop.signal);
    if (this.#feed.running().includes(id)) return;
    stop.abort();
    this.#forget(id, stop);
  }

  #forget(id: string, stop: AbortController): void {
    if (this.#open.get(id) === stop) this.#open.delete(id);
  }
}

/** How far a listener of all loops is: in the messages of one server process, and when it was there. */
export interface ProjectPosition {
  instance: string;
  seq: number;
  ms: number;
}

const POSITION = /^([0-9a-f]{8})\.(\d{1,15})\.(\d{1,15})$/;

export function formatProjectPosition({ instance, seq, ms }: ProjectPosition): string {
  return `${instance}.${seq}.${ms}`;
}

/** Null for text that is no position of ours. */
export function parseProjectPosition(text: string): ProjectPosition | null {
  const [, instance, seq, ms] = POSITION.exec(text) ?? [];
  if (instance === undefined) return null;
  return { instance, seq: Number(seq), ms: Number(ms) };
}
