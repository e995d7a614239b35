import type { LiveLimits } from "./limits.ts";

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
