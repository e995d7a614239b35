import { joined } from "./frame.ts";
import type { Hub } from "./hub.ts";
import type { Listener } from "./listener.ts";

/** Those who wait for the same past go through it together, so that it is read once for all of them. */
export class ReplayGroup<T> {
  readonly #travel: (members: T[]) => Promise<void>;
  #waiting: T[] = [];
  #underWay = false;

  /** `travel` must not reject. */
  constructor(travel: (members: T[]) => Promise<void>) {
    this.#travel = travel;
  }

  join(member: T): void {
    this.#waiting.push(member);
    if (!this.#underWay) void this.#go();
  }

  async #go(): Promise<void> {
    this.#underWay = true;
    while (this.#waiting.length > 0) await this.#travel(this.#waiting.splice(0));
    this.#underWay = false;
  }
}

const BATCH_BYTES = 32 * 1024;

/** Gathers what one listener is given of the past into writes of some size, no faster than it reads. */
export class Batch {
  readonly #hub: Hub;
  readonly #listener: Listener;
  #parts: Uint8Array[] = [];
  #size = 0;

  constructor(hub: Hub, listener: Listener) {
    this.#hub = hub;
    this.#listener = listener;
  }

  get isFull(): boolean {
    return this.#size >= BATCH_BYTES;
  }

  add(...parts: readonly Uint8Array[]): void {
    for (const part of parts) {
      this.#parts.push(part);
      this.#size += part.length;
    }
  }

  /** Resolves when it was given to the listener; cuts one that does not read. */
  async flush(): Promise<void> {
    const parts = this.#parts;
    this.#parts = [];
    this.#size = 0;
    if (parts.length === 0 || !this.#listener.open) return;
    const { clock, limits } = this.#hub;
    if (await this.#listener.room(clock, limits.stallMs)) this.#listener.write(joined(parts));
    else if (this.#listener.open) this.#hub.cut(this.#listener);
  }
}
