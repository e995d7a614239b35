import type { Clock } from "@ccw-loop/core";
import { joined } from "./messages.ts";

/** A stream holds so many bytes that its reader did not take yet; what comes then waits, and goes out together. */
const HIGH_WATER = 64 * 1024;

/** One reader of a live stream. */
export class Listener {
  readonly stream: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #open = true;
  #queue: Uint8Array[] = [];
  #queued = 0;
  #waiting: (() => void)[] = [];
  #left: (() => void)[] = [];

  constructor() {
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => {
          this.#flush();
          if (this.hasRoom) this.#wake();
        },
        cancel: () => this.#leave(),
      },
      { highWaterMark: HIGH_WATER, size: ({ byteLength }) => byteLength },
    );
  }

  get open(): boolean {
    return this.#open;
  }

  /** Bytes that the reader did not take yet. */
  get unread(): number {
    return HIGH_WATER - (this.#controller?.desiredSize ?? 0) + this.#queued;
  }

  /** Whether the reader took enough to be given more. */
  get hasRoom(): boolean {
    return this.#open && this.unread < HIGH_WATER;
  }

  /** Calls it once, however the stream ends. */
  onLeave(left: () => void): void {
    if (this.#open) this.#left.push(left);
    else left();
  }

  write(bytes: Uint8Array): void {
    if (!this.#open || bytes.length === 0) return;
    const hasRoom = this.hasRoom;
    this.#queue.push(bytes);
    this.#queued += bytes.length;
    if (hasRoom) this.#flush();
  }

  /** False when it has no room within `ms`, or ended. */
  async room(clock: Clock, ms: number): Promise<boolean> {
    if (this.hasRoom || !this.#open) return this.#open;
    const over = new AbortController();
    const taken = new Promise<void>((resolve) => this.#waiting.push(resolve));
    await Promise.race([taken, clock.sleep(ms, over.signal)]);
    over.abort();
    return this.hasRoom;
  }

  /** Ends the stream behind what was written. */
  end(): void {
    if (!this.#open) return;
    this.#flush();
    this.#controller?.close();
    this.#leave();
  }

  /** Ends the stream of a reader that does not read, and takes away what it did not take. */
  drop(): void {
    if (!this.#open) return;
    this.#controller?.error(new Error("The listener read too slowly."));
    this.#leave();
  }

  #flush(): void {
    const [first, ...more] = this.#queue;
    if (!first) return;
    this.#queue = [];
    this.#queued = 0;
    this.#controller?.enqueue(more.length === 0 ? first : joined([first, ...more]));
  }

  #leave(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#queue = [];
    this.#wake();
    for (const left of this.#left) left();
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

/** Bounds of live streams. */
export interface LiveLimits {
  /** A listener with more that it did not read is level with the others no more. */
  unreadBytes: number;
  /** Messages are gathered for so long into one write. */
  tickMs: number;
  pingMs: number;
  /** A listener that lacks something and takes nothing for so long is dropped. */
  stallMs: number;
}

export const LIVE_LIMITS: LiveLimits = {
  unreadBytes: 1024 * 1024,
  tickMs: 40,
  pingMs: 15_000,
  stallMs: 15_000,
};

/** The clock of any runtime with Web APIs. */
export const webClock: Clock = {
  now: () => new Date(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const wake = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      const timer = setTimeout(wake, Math.max(0, ms));
      signal?.addEventListener("abort", wake, { once: true });
    }),
};
