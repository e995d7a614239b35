import type { Activity } from "@ccw-loop/core";
import {
  BATCH_BYTES,
  Broadcast,
  type Entry,
  isFor,
  type Kind,
  type Kinds,
  type Member,
  type Missed,
} from "./broadcast.ts";
import { type Hub, Turns } from "./hub.ts";
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
/** Messages that are kept for those who come back or are late, and bytes of them. */
const KEPT = 2_000;
const KEPT_BYTES = 4 * 1024 * 1024;

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

/** The messages of all loops; `ended` when there are no more. */
export function projectTopic(hub: Hub, feed: Feed, ended: () => void): ProjectTopic {
  const instance = crypto.randomUUID().slice(0, 8);
  const kept: Entry<ProjectPosition>[] = [];
  let keptBytes = 0;
  const broadcast = new Broadcast(hub, positionOf(0), missed);
  const turns = new Turns();
  const listeners = new Set<Listener>();
  const tails = new ActivityFollowers(hub, feed, (id, activity) => {
    add("activity", activityMessage(id, activity));
  });

  function positionOf(seq: number): ProjectPosition {
    return { instance, seq, ms: hub.clock.now().getTime() };
  }

  /** Whether all that came behind it is there. */
  function isKept({ seq }: ProjectPosition): boolean {
    return seq >= (kept[0]?.position.seq ?? broadcast.end.seq + 1) - 1;
  }

  async function missed(
    { kinds, position, listener }: Member<ProjectPosition>,
    head: ProjectPosition,
  ): Promise<Missed<ProjectPosition>> {
    if (!isKept(position)) listener.drop();
    const parts: Uint8Array[] = [];
    let size = 0;
    for (const entry of kept) {
      const { seq } = entry.position;
      if (seq <= position.seq || !isFor(kinds, entry)) continue;
      if (seq > head.seq) break;
      parts.push(entry.bytes);
      size += entry.bytes.length;
      if (size >= BATCH_BYTES) return { bytes: joined(parts), position: entry.position };
    }
    return { bytes: joined(parts), position: head };
  }

  function add(kind: Kind, message: readonly [string, unknown]): void {
    const position = positionOf(broadcast.end.seq + 1);
    const id = formatProjectPosition(position);
    const entry = { kind, position, bytes: joined([messageBody(...message), messageEnd(id)]) };
    kept.push(entry);
    keptBytes += entry.bytes.length;
    while (kept.length > KEPT || keptBytes > KEPT_BYTES) {
      keptBytes -= kept.shift()?.bytes.length ?? 0;
    }
    broadcast.add(entry);
  }

  function changed(change: LoopChange): void {
    const { id, state, facts } = change;
    if (state === null) add("notice", deletedMessage(id));
    else {
      const factOf = factCounter(state);
      for (const recorded of facts) add("recorded", factMessage(id, factOf(recorded)));
    }
    tails.changed(change);
  }

  function begin(member: Member<ProjectPosition>): void {
    member.listener.write(hub.greeting(formatProjectPosition(member.position)));
    broadcast.join(member);
  }

  async function beginWithPast(member: Member<ProjectPosition>, since: string): Promise<void> {
    const { listener } = member;
    await turns.take(() => hub.give(listener, factsSince(hub, since))).catch(() => listener.end());
    begin(member);
  }

  const unsubscribe = feed.subscribe(changed, () => {
    ended();
    broadcast.flush();
    for (const listener of [...listeners]) listener.end();
  });

  return {
    join(listener, { kinds, position, lost }) {
      const content = kinds.has("activity") ? tails.want() : () => {};
      listeners.add(listener);
      listener.onLeave(() => {
        content();
        listeners.delete(listener);
      });
      const { seq } = broadcast.head;
      const now = positionOf(seq);
      const isKnown = position?.instance === instance && position.seq <= seq;
      if (isKnown && isKept(position)) return begin({ listener, kinds, position });
      if (!position && !lost) return begin({ listener, kinds, position: now });
      const since = position && new Date(Math.min(position.ms, now.ms) - OVERLAP_MS).toISOString();
      const resync = messageBody("resync", { kind: "resync", since });
      listener.write(joined([resync, messageEnd()]));
      const member = { listener, kinds, position: now };
      if (since !== null && kinds.has("recorded")) void beginWithPast(member, since);
      else begin(member);
    },
    close() {
      unsubscribe();
      tails.close();
    },
  };
}

/** Messages of the facts since then, loop by loop. */
async function* factsSince(hub: Hub, since: string): AsyncGenerator<Uint8Array> {
  for await (const state of everyLoop(hub, since)) {
    const factOf = factCounter(state);
    for await (const recorded of hub.service.events(state.loop_id)) {
      const message = factMessage(state.loop_id, factOf(recorded));
      if (recorded.event.at >= since) yield joined([messageBody(...message), messageEnd()]);
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
