import type { Clock } from "@ccw-loop/core";

/** A stream holds so many bytes that its reader did not take yet; then nothing more is put into it. */
const HIGH_WATER = 64 * 1024;

/** One reader of a live stream. */
export class Listener {
  readonly stream: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #open = true;
  #waiting: (() => void)[] = [];
  #pulled: () => void = () => {};
  #left: (() => void)[] = [];

  constructor() {
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => {
          this.#wake();
          this.#pulled();
        },
        cancel: () => this.#leave(),
      },
      { highWaterMark: HIGH_WATER, size: ({ byteLength }) => byteLength },
    );
  }

  get open(): boolean {
    return this.#open;
  }

  /** Whether the reader took enough to be given more. */
  get hasRoom(): boolean {
    return this.#open && (this.#controller?.desiredSize ?? 0) > 0;
  }

  /** Called when the reader wants more; replaces what was called before. */
  onPull(pulled: () => void): void {
    this.#pulled = pulled;
  }

  /** Calls it once, however the stream ends. */
  onLeave(left: () => void): void {
    if (this.#open) this.#left.push(left);
    else left();
  }

  write(bytes: Uint8Array): void {
    if (this.#open) this.#controller?.enqueue(bytes);
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
    this.#controller?.close();
    this.#leave();
  }

  /** Takes away from a reader that has ended what it still did not read. */
  drop(): void {
    this.#controller?.error(new Error("The listener read too slowly."));
  }

  #leave(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#wake();
    for (const left of this.#left) left();
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

/** Bounds of live streams. */
export interface LiveLimits {
  /** Messages that one channel keeps for listeners who come back. */
  ringMessages: number;
  /** Bytes of them. */
  ringBytes: number;
  /** Bytes of all channels together: each has its share of them when there are many. */
  totalBytes: number;
  /** A listener with more that it did not read is cut. */
  unreadBytes: number;
  /** Messages are gathered for so long into one write. */
  tickMs: number;
  pingMs: number;
  /** A listener that is being given the past and takes nothing of it for so long is cut. */
  stallMs: number;
}

export const LIVE_LIMITS: LiveLimits = {
  ringMessages: 20_000,
  ringBytes: 4 * 1024 * 1024,
  totalBytes: 64 * 1024 * 1024,
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
