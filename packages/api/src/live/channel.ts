import type { Clock } from "@ccw-loop/core";
import type { Listener, LiveLimits } from "./listener.ts";
import { joined, messageBody, messageEnd } from "./messages.ts";

export type Kinds = ReadonlySet<Kind>;

/** How somebody listens to a channel. */
export interface Subscription<P> {
  kinds: Kinds;
  /** The number of the next message. */
  next: number;
  /**
   * Where the listener is, when the ring is not behind that yet: messages that it had are left out, and the ids of the
   * others say where it is with them. Null for a message it had.
   */
  ahead?: ((entry: Entry<P>) => P | null) | undefined;
  /** Ends `ahead`: from this position on both are at the same place. */
  isLevel?: ((position: P) => boolean) | undefined;
}

interface Member<P> extends Subscription<P> {
  listener: Listener;
  /** It was at the head once: from then on it must keep up. */
  caughtUp: boolean;
}

/** One write has no more bytes than this, or one message. */
const WRITE_BYTES = 64 * 1024;
/** Different places from which listeners may be served in one tick before their bytes are joined anew. */
const SHARED_WRITES = 8;

export interface ChannelOptions<P> {
  clock: Clock;
  limits: LiveLimits;
  /** Bytes that this channel may keep now. */
  share: () => number;
  idOf: (position: P) => string;
  /** Told of each listener that was too slow. */
  onCut: (listener: Listener) => void;
}

/**
 * Messages for any number of listeners. What comes within a tick is one write, and the same bytes for all listeners at
 * the same place. A listener holds a number and what its stream has not given away, so a slow one costs nothing but
 * its place: when that is gone, or too far behind, its stream ends.
 */
export class Channel<P> {
  readonly ring: Ring<P>;
  readonly #options: ChannelOptions<P>;
  readonly #members = new Set<Member<P>>();
  /** Listeners are given messages before this number; later ones wait for the tick. */
  #ready = 0;
  /** What was before this number, a listener had a tick's time to read. */
  #settled = 0;
  #ticking = false;
  readonly #writes = new Map<string, { bytes: Uint8Array; next: number }>();

  constructor(start: P, options: ChannelOptions<P>) {
    this.ring = new Ring(start);
    this.#options = options;
  }

  add(kind: Kind, position: P, name: string, data: unknown): void {
    const { idOf, limits, share, clock } = this.#options;
    const body = messageBody(name, data);
    const bytes = joined([body, messageEnd(idOf(position))]);
    this.ring.add(
      { kind, position, bytes, body: body.length },
      { ringMessages: limits.ringMessages, ringBytes: share() },
    );
    if (this.#ticking) return;
    this.#ticking = true;
    void clock.sleep(limits.tickMs).then(() => this.flush());
  }

  attach(listener: Listener, subscription: Subscription<P>): void {
    if (!listener.open) return;
    const member: Member<P> = { ...subscription, listener, caughtUp: false };
    this.#members.add(member);
    listener.onPull(() => this.#serve(member));
    this.#serve(member);
  }

  detach(listener: Listener): void {
    for (const member of this.#members)
      if (member.listener === listener) this.#members.delete(member);
  }

  /** Gives everybody what there is. */
  flush(): void {
    this.#ticking = false;
    this.#settled = this.#ready;
    this.#ready = this.ring.head;
    this.#writes.clear();
    for (const member of this.#members) this.#serve(member);
  }

  #serve(member: Member<P>): void {
    const { ring } = this;
    const { limits, onCut } = this.#options;
    const { listener } = member;
    const ready = Math.max(this.#ready, ring.first);
    const unread = ring.bytesBetween(member.next, Math.max(this.#settled, ring.first));
    if (member.next < ring.first || (member.caughtUp && unread > limits.unreadBytes)) {
      this.#members.delete(member);
      onCut(listener);
      return;
    }
    while (member.next < ready && listener.hasRoom) {
      const { bytes, next } = this.#write(member, ready);
      member.next = next;
      if (bytes.length > 0) listener.write(bytes);
    }
    if (member.next >= ready) member.caughtUp = true;
  }

  #write(member: Member<P>, ready: number): { bytes: Uint8Array; next: number } {
    if (member.ahead) return this.#ownWrite(member, member.ahead, ready);
    const key = `${member.next} ${[...member.kinds].join()}`;
    const shared = this.#writes.get(key);
    if (shared) return shared;
    const made = this.#gather(member, ready, (entry) => entry.bytes);
    if (this.#writes.size < SHARED_WRITES) this.#writes.set(key, made);
    return made;
  }

  #ownWrite(
    member: Member<P>,
    ahead: NonNullable<Member<P>["ahead"]>,
    ready: number,
  ): { bytes: Uint8Array; next: number } {
    const made = this.#gather(member, ready, (entry) => {
      const position = ahead(entry);
      if (position === null) return null;
      const body = entry.bytes.subarray(0, entry.body);
      return joined([body, messageEnd(this.#options.idOf(position))]);
    });
    const last = this.ring.at(made.next - 1);
    if (last && member.isLevel?.(last.position)) member.ahead = undefined;
    return made;
  }

  #gather(
    { next: from, kinds }: Member<P>,
    ready: number,
    bytesOf: (entry: Entry<P>) => Uint8Array | null,
  ): { bytes: Uint8Array; next: number } {
    const parts: Uint8Array[] = [];
    let size = 0;
    let next = from;
    for (; next < ready && size < WRITE_BYTES; next += 1) {
      const entry = this.ring.at(next);
      if (!entry || !(entry.kind === "notice" || kinds.has(entry.kind))) continue;
      const bytes = bytesOf(entry);
      if (!bytes) continue;
      parts.push(bytes);
      size += bytes.length;
    }
    return { bytes: joined(parts), next };
  }
}

/** What a listener can ask for; everybody gets a `notice`. */
export type Kind = "recorded" | "activity" | "notice";

/** One message, encoded once for all listeners. */
export interface Entry<P> {
  kind: Kind;
  /** Where a stream is behind this message. */
  position: P;
  bytes: Uint8Array;
  /** How many of the bytes come before the id. */
  body: number;
  /** Bytes that the ring has ever had, up to and with this one. */
  end: number;
}

const COMPACT_AT = 1024;

/** The newest messages of a channel, numbered from 0 without end; the oldest go when there are too many. */
export class Ring<P> {
  #entries: (Entry<P> | undefined)[] = [];
  /** Entries before this index are gone. */
  #offset = 0;
  /** The number of the first message that is there. */
  first = 0;
  /** Everything behind this position is or comes here. */
  floor: P;
  #end = 0;

  constructor(start: P) {
    this.floor = start;
  }

  /** The number of the next message. */
  get head(): number {
    return this.first + this.#entries.length - this.#offset;
  }

  /** The position behind the last message. */
  get position(): P {
    return this.#entries.at(-1)?.position ?? this.floor;
  }

  add(
    entry: Omit<Entry<P>, "end">,
    { ringMessages, ringBytes }: Pick<LiveLimits, "ringMessages" | "ringBytes">,
  ): void {
    this.#end += entry.bytes.length;
    this.#entries.push({ ...entry, end: this.#end });
    while (this.head - this.first > ringMessages || this.#bytes() > ringBytes) this.#drop();
  }

  at(number: number): Entry<P> | undefined {
    return number < this.first ? undefined : this.#entries[number - this.first + this.#offset];
  }

  /** Bytes from message `from` up to and without message `to`. */
  bytesBetween(from: number, to: number): number {
    return this.#endOf(to - 1) - this.#endOf(from - 1);
  }

  /** The first message that `isBehind` holds for; it holds for all messages behind that one, too. */
  search(isBehind: (position: P) => boolean): number {
    let low = this.first;
    let high = this.head;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const entry = this.at(middle);
      if (entry && isBehind(entry.position)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #bytes(): number {
    return this.bytesBetween(this.first, this.head);
  }

  #endOf(number: number): number {
    const entry = this.at(number);
    if (entry) return entry.end;
    const next = this.at(number + 1);
    return next ? next.end - next.bytes.length : this.#end;
  }

  #drop(): void {
    const entry = this.#entries[this.#offset];
    if (!entry) return;
    this.floor = entry.position;
    this.#entries[this.#offset] = undefined;
    this.#offset += 1;
    this.first += 1;
    if (this.#offset < COMPACT_AT || this.#offset * 2 < this.#entries.length) return;
    this.#entries = this.#entries.slice(this.#offset);
    this.#offset = 0;
  }
}
