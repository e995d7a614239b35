import type { Clock, LoopService } from "@ccw-loop/core";
import { Listener, type LiveLimits } from "./listener.ts";
import { joined, messageBody, messageEnd, retryHint } from "./messages.ts";

const RETRY_MS = 2000;
/** Lets so many of those who read the past do so at the same time. */
export class Turns {
  #free = 8;
  readonly #waiting: (() => void)[] = [];

  async take<T>(read: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await read();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}

/** What all live streams of one service share: its listeners, their pings, and turns. */
export class Hub {
  readonly service: LoopService;
  readonly clock: Clock;
  readonly limits: LiveLimits;
  /** Of those who read what they lack of a loop. */
  readonly turns = new Turns();
  readonly #listeners = new Set<Listener>();
  #pinging: AbortController | undefined;

  constructor(service: LoopService, clock: Clock, limits: LiveLimits) {
    this.service = service;
    this.clock = clock;
    this.limits = limits;
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  listen(signal?: AbortSignal): Listener {
    const listener = new Listener();
    this.#listeners.add(listener);
    const end = () => listener.end();
    signal?.addEventListener("abort", end, { once: true });
    listener.onLeave(() => {
      signal?.removeEventListener("abort", end);
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#pinging?.abort();
      this.#pinging = undefined;
    });
    if (signal?.aborted) end();
    else if (!this.#pinging) void this.#ping();
    return listener;
  }

  /** The first message of a stream: it says how to come back, and where to when nothing follows. */
  greeting(id: string | undefined): Uint8Array {
    return joined([retryHint(RETRY_MS), this.#pingBody(), messageEnd(id)]);
  }

  /** Gives a listener messages as fast as it reads them; one that takes nothing for too long is dropped. */
  async give(listener: Listener, messages: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const message of messages) {
      if (!(await listener.room(this.clock, this.limits.stallMs))) return listener.drop();
      listener.write(message);
    }
  }

  endAll(): void {
    for (const listener of [...this.#listeners]) listener.end();
  }

  async #ping(): Promise<void> {
    const stop = new AbortController();
    this.#pinging = stop;
    while (!stop.signal.aborted) {
      await this.clock.sleep(this.limits.pingMs, stop.signal);
      if (stop.signal.aborted) return;
      const ping = joined([this.#pingBody(), messageEnd()]);
      for (const listener of this.#listeners) if (listener.hasRoom) listener.write(ping);
    }
  }

  #pingBody(): Uint8Array {
    return messageBody("ping", { at: this.clock.now().toISOString() });
  }
}
