import type { LiveContext } from "./context.ts";
import { joined } from "./messages.ts";

export type Kinds = ReadonlySet<string>;

/** Behind the message with this number, the first of which is 1; `position` is whatever the writer calls this place. */
export interface Place<P> {
  number: number;
  position: P;
}

/** Messages, and the place behind them. */
export interface Batch<P> extends Place<P> {
  bytes: Uint8Array;
}

interface Entry<P> extends Batch<P> {
  /** A reader that wants one of them gets it. */
  kinds: readonly string[];
}

/** So many batches are remembered for other readers. */
const SHARED_BATCHES = 64;

/**
 * The newest messages of one topic, each encoded once. Readers fetch them, each at its own pace, so a slow one costs
 * nothing. What is added within a tick becomes readable together: one batch, of the same bytes for all who want it.
 */
export class Log<P> {
  readonly #context: LiveContext;
  readonly #entries: Entry<P>[] = [];
  readonly #batches = new Map<string, Batch<P>>();
  #bytes = 0;
  #head: Place<P>;
  isClosed = false;
  readonly #waiting = new Set<() => void>();

  constructor(context: LiveContext, position: P) {
    this.#context = context;
    this.#head = { number: 0, position };
  }

  /** Behind the last message that can be read. */
  get head(): Place<P> {
    return this.#head;
  }

  /** Behind the last message that was added. */
  get end(): Place<P> {
    return this.#entries.at(-1) ?? this.#head;
  }

  add(kinds: readonly string[], bytes: Uint8Array, position: P): void {
    const { number } = this.end;
    const { clock, limits } = this.#context;
    if (number === this.#head.number) void clock.sleep(limits.tickMs).then(() => this.#tick());
    this.#entries.push({ kinds, bytes, position, number: number + 1 });
    this.#bytes += bytes.length;
  }

  /** Ends its readers behind the last message. */
  close(): void {
    this.isClosed = true;
    this.#tick();
  }

  /** Whether all that came behind this number is kept. */
  keeps(number: number): boolean {
    return number >= (this.#entries[0]?.number ?? 1) - 1;
  }

  /**
   * What comes behind a number, until the log is closed, some of it is not kept any more, or `signal` aborts, which is of
   * this reader alone.
   */
  async *follow(from: number, signal: AbortSignal, kinds?: Kinds): AsyncGenerator<Batch<P>> {
    let wake = () => {};
    signal.onabort = () => wake();
    for (let number = from; this.keeps(number) && !signal.aborted; ) {
      if (number < this.#head.number) {
        const batch = this.#batch(number, kinds);
        number = batch.number;
        if (batch.bytes.length > 0) yield batch;
      } else if (this.isClosed) return;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
          this.#waiting.add(wake);
        });
      }
    }
    this.#waiting.delete(wake);
  }

  #batch(behind: number, kinds: Kinds | undefined): Batch<P> {
    const key = [behind, ...(kinds ?? [])].join();
    const found = this.#batches.get(key);
    if (found) return found;
    const parts: Uint8Array[] = [];
    let size = 0;
    let { number, position } = this.#head;
    const first = this.#entries[0]?.number ?? 1;
    for (const entry of this.#entries.slice(behind + 1 - first, number + 1 - first)) {
      if (kinds && !entry.kinds.some((kind) => kinds.has(kind))) continue;
      parts.push(entry.bytes);
      size += entry.bytes.length;
      if (size < this.#context.limits.streamBytes) continue;
      ({ number, position } = entry);
      break;
    }
    const batch = { bytes: joined(parts), number, position };
    if (this.#batches.size >= SHARED_BATCHES) this.#batches.clear();
    this.#batches.set(key, batch);
    return batch;
  }

  /** Makes what was added readable, and forgets the oldest of what was readable before. */
  #tick(): void {
    const { kept, keptBytes } = this.#context.limits;
    const before = this.#head.number;
    this.#head = this.end;
    this.#batches.clear();
    for (
      let [oldest] = this.#entries;
      oldest && oldest.number <= before;
      [oldest] = this.#entries
    ) {
      if (this.#entries.length <= kept && this.#bytes <= keptBytes) break;
      this.#entries.shift();
      this.#bytes -= oldest.bytes.length;
    }
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
