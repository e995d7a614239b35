import type { Hub } from "./hub.ts";
import type { Listener } from "./listener.ts";
import { joined } from "./messages.ts";

/** What a listener can ask for; everybody gets a `notice`. */
export type Kind = "recorded" | "activity" | "notice";
export type Kinds = ReadonlySet<Kind>;

/** A listener is given so much at a time of what it lacks. */
export const BATCH_BYTES = 64 * 1024;

/** One message, encoded once for all listeners, and where a stream is behind it. */
export interface Entry<P> {
  kind: Kind;
  bytes: Uint8Array;
  position: P;
}

/** A listener, and where it is unless it is level with the head. */
export interface Member<P> {
  listener: Listener;
  kinds: Kinds;
  position: P;
}

/** Some of what a member lacks, and where it is with that. */
export interface Missed<P> {
  bytes: Uint8Array;
  position: P;
}

/**
 * What a member lacks up to `head`, a part of it at a time; the last part has `head` itself as its position. Null where
 * the next tick has to be waited for; when it throws, the stream ends.
 */
export type ReadMissed<P> = (member: Member<P>, head: P) => Promise<Missed<P> | null>;

/**
 * Messages for any number of listeners. What comes within a tick is one write, of the same bytes for all who are level.
 * A listener that is late, or does not take what it is given, is level no more: it reads what it lacks by itself, as fast
 * as it can, until it is level again. So a slow one costs nothing but its place.
 */
export class Broadcast<P> {
  readonly #hub: Hub;
  readonly #read: ReadMissed<P>;
  readonly #level = new Set<Member<P>>();
  #head: P;
  #pending: Entry<P>[] = [];
  #ticked = Promise.withResolvers<void>();

  constructor(hub: Hub, start: P, read: ReadMissed<P>) {
    this.#hub = hub;
    this.#read = read;
    this.#head = start;
  }

  /** Behind the last message that was given out. */
  get head(): P {
    return this.#head;
  }

  /** Behind the last message that there is. */
  get end(): P {
    return this.#pending.at(-1)?.position ?? this.#head;
  }

  add(entry: Entry<P>): void {
    this.#pending.push(entry);
    if (this.#pending.length > 1) return;
    const { clock, limits } = this.#hub;
    void clock.sleep(limits.tickMs).then(() => this.flush());
  }

  /** Gives a listener what comes behind its position. */
  join(member: Member<P>): void {
    member.listener.onLeave(() => this.#level.delete(member));
    void this.#catchUp(member);
  }

  /** Gives everybody who is level what there is. */
  flush(): void {
    const before = this.#head;
    const entries = this.#pending;
    this.#head = this.end;
    this.#pending = [];
    const writes = new Map<string, Uint8Array>();
    for (const member of [...this.#level]) {
      const { listener, kinds } = member;
      if (listener.unread > this.#hub.limits.unreadBytes) {
        this.#level.delete(member);
        member.position = before;
        void this.#catchUp(member);
        continue;
      }
      const key = [...kinds].join();
      const bytes = writes.get(key) ?? bytesFor(entries, kinds);
      writes.set(key, bytes);
      listener.write(bytes);
    }
    this.#ticked.resolve();
    this.#ticked = Promise.withResolvers<void>();
  }

  async #catchUp(member: Member<P>): Promise<void> {
    const { listener } = member;
    const { clock, limits } = this.#hub;
    try {
      while (listener.open && member.position !== this.#head) {
        if (!(await listener.room(clock, limits.stallMs))) return listener.drop();
        const missed = await this.#read(member, this.#head);
        if (missed) {
          member.position = missed.position;
          listener.write(missed.bytes);
        } else await this.#ticked.promise;
      }
      if (listener.open) this.#level.add(member);
    } catch {
      listener.end();
    }
  }
}

function bytesFor<P>(entries: readonly Entry<P>[], kinds: Kinds): Uint8Array {
  return joined(entries.filter((entry) => isFor(kinds, entry)).map(({ bytes }) => bytes));
}

export function isFor(kinds: Kinds, { kind }: Pick<Entry<unknown>, "kind">): boolean {
  return kind === "notice" || kinds.has(kind);
}
