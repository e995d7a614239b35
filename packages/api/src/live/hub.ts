import type { Clock, LoopService } from "@ccw-loop/core";
import { Channel } from "./channel.ts";
import { Listener, type LiveLimits } from "./listener.ts";
import { joined, messageBody, messageEnd, retryHint } from "./messages.ts";

const RETRY_MS = 2000;

/** What all live streams of one service share: its listeners, their pings, and the room for what is kept. */
export class Hub {
  readonly service: LoopService;
  readonly clock: Clock;
  readonly limits: LiveLimits;
  readonly #listeners = new Set<Listener>();
  /** Cut since the last ping, and before it: until the second ping they may read what they were given. */
  #leaving: [late: Listener[], early: Listener[]] = [[], []];
  #channels = 0;
  #cut = 0;
  #pinging: AbortController | undefined;

  constructor(service: LoopService, clock: Clock, limits: LiveLimits) {
    this.service = service;
    this.clock = clock;
    this.limits = limits;
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  /** How many were cut since the start. */
  get cuts(): number {
    return this.#cut;
  }

  listen(signal?: AbortSignal): Listener {
    const listener = new Listener();
    this.#listeners.add(listener);
    const end = () => listener.end();
    signal?.addEventListener("abort", end, { once: true });
    listener.onLeave(() => {
      signal?.removeEventListener("abort", end);
      this.#listeners.delete(listener);
      this.#stopIfIdle();
    });
    if (signal?.aborted) end();
    else if (!this.#pinging) void this.#ping();
    return listener;
  }

  /** The first message of a stream: it says how to come back, and where to when nothing follows. */
  greeting(id: string | undefined): Uint8Array {
    return joined([retryHint(RETRY_MS), this.#pingBody(), messageEnd(id)]);
  }

  cut(listener: Listener): void {
    this.#cut += 1;
    this.#leaving[0].push(listener);
    listener.end();
  }

  async pump(listener: Listener, messages: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      for await (const message of messages) {
        if (await listener.room(this.clock, this.limits.stallMs)) listener.write(message);
        else break;
      }
    } finally {
      if (listener.open && !listener.hasRoom) this.cut(listener);
      listener.end();
    }
  }

  channel<P>(start: P, idOf: (position: P) => string): Channel<P> {
    this.#channels += 1;
    return new Channel(start, {
      clock: this.clock,
      limits: this.limits,
      share: () => Math.min(this.limits.ringBytes, this.limits.totalBytes / this.#channels),
      idOf,
      onCut: (listener) => this.cut(listener),
    });
  }

  channelClosed(): void {
    this.#channels -= 1;
  }

  endAll(): void {
    for (const listener of this.#leaving.flat()) listener.drop();
    this.#leaving = [[], []];
    for (const listener of [...this.#listeners]) listener.end();
  }

  async #ping(): Promise<void> {
    const stop = new AbortController();
    this.#pinging = stop;
    while (!stop.signal.aborted) {
      await this.clock.sleep(this.limits.pingMs, stop.signal);
      if (stop.signal.aborted) return;
      const [late, early] = this.#leaving;
      for (const listener of early) listener.drop();
      this.#leaving = [[], late];
      this.#stopIfIdle();
      const ping = joined([this.#pingBody(), messageEnd()]);
      for (const listener of this.#listeners) if (listener.hasRoom) listener.write(ping);
    }
  }

  #stopIfIdle(): void {
    if (this.#listeners.size > 0 || this.#leaving.flat().length > 0) return;
    this.#pinging?.abort();
    this.#pinging = undefined;
  }

  #pingBody(): Uint8Array {
    return messageBody("ping", { at: this.clock.now().toISOString() });
  }
}

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
