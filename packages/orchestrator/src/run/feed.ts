import type { LoopEvent, LoopStore, RecordedEvent, StoredLoop } from "@ccw-loop/core";

/**
 * Tells every recorded event of one loop exactly once and in order, whoever wrote it: `committed` for
 * commits of this process, `catchUp` after a hint that somebody else wrote.
 */
export class RecordedFeed {
  readonly #store: LoopStore;
  readonly #id: string;
  readonly #emit: (recorded: RecordedEvent) => void;
  #seen: number;
  #tail: Promise<void> = Promise.resolve();

  constructor(store: LoopStore, id: string, seen: number, emit: (recorded: RecordedEvent) => void) {
    this.#store = store;
    this.#id = id;
    this.#seen = seen;
    this.#emit = emit;
  }

  /** Our own commit: told from memory when nobody wrote in between. */
  committed(stored: StoredLoop, events: readonly LoopEvent[], actor: string): Promise<void> {
    return this.#queue(async () => {
      if (stored.revision !== this.#seen + 1) return this.#read();
      this.#seen = stored.revision;
      for (const event of events) this.#emit({ revision: stored.revision, actor, event });
    });
  }

  /** Reads what the journal has behind the last event told; not when the caller saw that `revision` is the newest. */
  catchUp(revision = Number.POSITIVE_INFINITY): Promise<void> {
    return this.#queue(async () => {
      if (revision > this.#seen) await this.#read();
    });
  }

  #queue(work: () => Promise<void>): Promise<void> {
    const next = this.#tail.then(work);
    this.#tail = next.catch(() => undefined);
    return next;
  }

  async #read(): Promise<void> {
    for await (const recorded of this.#store.events(this.#id, this.#seen)) {
      if (recorded.revision < this.#seen) continue;
      this.#seen = recorded.revision;
      this.#emit(recorded);
    }
  }
}
