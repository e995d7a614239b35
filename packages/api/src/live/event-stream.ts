import type { LiveContext } from "./context.ts";
import { pingMessage } from "./messages.ts";

/** What a stream is made of; `over` aborts when nobody reads it any more. */
export type Messages = (over: AbortSignal) => AsyncGenerator<Uint8Array>;

export class EventStreams {
  readonly #context: LiveContext;
  readonly #open = new Set<OpenStream>();
  isClosed = false;

  constructor(context: LiveContext) {
    this.#context = context;
  }

  get size(): number {
    return this.#open.size;
  }

  /**
   * Messages as fast as they are read: a slow reader has them made slowly. The stream ends with them, when `signal`
   * aborts, when its reader leaves, or when that takes nothing for too long; `left` is called once, whatever ends it.
   */
  open(
    messages: Messages,
    signal: AbortSignal | undefined,
    left: () => void,
  ): ReadableStream<Uint8Array> {
    const end = () => source.end();
    const source = new OpenStream(this.#context, messages, () => {
      signal?.removeEventListener("abort", end);
      this.#open.delete(source);
      left();
    });
    const stream = new ReadableStream(source, {
      highWaterMark: this.#context.limits.streamBytes,
      size: ({ byteLength }) => byteLength,
    });
    this.#open.add(source);
    signal?.addEventListener("abort", end, { once: true });
    if (signal?.aborted || this.isClosed) end();
    return stream;
  }

  close(): void {
    this.isClosed = true;
    for (const source of [...this.#open]) source.end();
  }
}

const DONE = { done: true, value: undefined } as const;

class OpenStream {
  readonly #context: LiveContext;
  readonly #messages: AsyncGenerator<Uint8Array>;
  readonly #left: () => void;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  readonly #over = new AbortController();
  /** While nothing more fits into the stream. */
  #full: AbortController | undefined;

  constructor(context: LiveContext, messages: Messages, left: () => void) {
    this.#context = context;
    this.#messages = messages(this.#over.signal);
    this.#left = left;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
    void this.#ping();
  }

  /** What cannot be read any more ends the stream: its reader comes back, and is answered why. */
  async pull(): Promise<void> {
    this.#full?.abort("The reader took something.");
    this.#full = undefined;
    const { done, value } = await this.#messages.next().catch(() => DONE);
    if (this.#isOver) return;
    if (done) return this.end();
    this.#controller?.enqueue(value);
    if (!this.#hasRoom) void this.#endUnlessTaken();
  }

  cancel(): void {
    this.#leave();
  }

  end(): void {
    if (this.#isOver) return;
    this.#leave();
    this.#controller?.close();
  }

  get #isOver(): boolean {
    return this.#over.signal.aborted;
  }

  get #hasRoom(): boolean {
    return (this.#controller?.desiredSize ?? 0) > 0;
  }

  async #ping(): Promise<void> {
    const { clock, limits } = this.#context;
    for (;;) {
      await clock.sleep(limits.pingMs, this.#over.signal);
      if (this.#isOver) return;
      if (this.#hasRoom) this.#controller?.enqueue(pingMessage(clock.now()));
    }
  }

  async #endUnlessTaken(): Promise<void> {
    const { clock, limits } = this.#context;
    this.#full = new AbortController();
    const { signal } = this.#full;
    await clock.sleep(limits.stallMs, signal);
    if (signal.aborted) return;
    this.#leave();
    this.#controller?.error(new Error("The listener read too slowly."));
  }

  #leave(): void {
    if (this.#isOver) return;
    this.#over.abort();
    this.#full?.abort();
    this.#messages.return(undefined).catch(() => undefined);
    this.#left();
  }
}
