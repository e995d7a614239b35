import {
  isLoopError,
  type Lease,
  LoopError,
  type LoopEvent,
  type LoopState,
  type LoopStore,
  type RecordedEvent,
  replay,
  revisionConflict,
  type StoredLoop,
} from "@ccw-loop/core";

/** How often a decision is made anew because somebody else wrote first. */
export const CONFLICT_RETRIES = 50;

export interface DecidedOptions {
  actor: string;
  epoch?: number;
  opId?: string;
  /** Only while this is the newest. */
  revision?: number | undefined;
}

/** The newest state; throws `revision_conflict` when it is not the one that the caller names. */
export async function readAt(
  store: LoopStore,
  id: string,
  revision: number | undefined,
): Promise<StoredLoop> {
  const stored = await store.read(id);
  if (revision === undefined || stored.revision === revision) return stored;
  throw revisionConflict(id, revision, stored.revision);
}

/**
 * Decides events against the newest state and appends them, deciding again whenever another writer was
 * first. `decide` answers null (or nothing) to record nothing. Throws what `decide` throws, and
 * `revision_conflict` for another revision than the caller's.
 */
export async function appendDecided(
  store: LoopStore,
  id: string,
  decide: (state: LoopState) => readonly LoopEvent[] | null,
  { revision, ...options }: DecidedOptions,
): Promise<{ stored: StoredLoop; events: readonly LoopEvent[] }> {
  for (let tries = 0; ; tries++) {
    const before = await readAt(store, id, revision);
    const events = decide(before.state);
    if (!events || events.length === 0) return { stored: before, events: [] };
    try {
      return { stored: await store.append(id, before.revision, events, options), events };
    } catch (error) {
      if (!isLoopError(error, "revision_conflict")) throw error;
      if (tries >= CONFLICT_RETRIES) {
        throw new LoopError(
          "revision_conflict",
          `Loop ${id} is being changed too fast by others; nothing was recorded. Try again.`,
          { cause: error },
        );
      }
    }
  }
}

/** Writes the facts of one run of one loop under its lease. */
export class Recorder {
  readonly #store: LoopStore;
  readonly #lease: Lease;
  readonly #feed: RecordedFeed;
  #pending: LoopEvent[] = [];
  /** Deferred facts whose commit is under way. */
  #writing: readonly LoopEvent[] = [];
  /** As it was after our last commit. */
  #newest: LoopState | undefined;
  #hasCompleted = false;

  constructor(store: LoopStore, lease: Lease, feed: RecordedFeed) {
    this.#store = store;
    this.#lease = lease;
    this.#feed = feed;
  }

  get hasCompleted(): boolean {
    return this.#hasCompleted;
  }

  /** A fact that may wait for the next commit; lost with the process, so only for what a repeat tells again. */
  defer(event: LoopEvent): void {
    this.#pending.push(event);
  }

  /** The newer of that state and the one behind our last commit, with what waits for the next. */
  upToDate(state: LoopState): LoopState {
    const newest = this.#newest;
    const isNewer = newest !== undefined && (newest.revision ?? 0) > (state.revision ?? 0);
    return replay([...this.#writing, ...this.#pending], isNewer ? newest : state);
  }

  /** Commits what `decide` answers for the newest state, behind the deferred facts. */
  async record(decide: (state: LoopState) => readonly LoopEvent[] | null): Promise<StoredLoop> {
    const pending = this.#pending;
    this.#pending = [];
    this.#writing = [...this.#writing, ...pending];
    const written = () => {
      this.#writing = this.#writing.filter((event) => !pending.includes(event));
    };
    const { stored, events } = await appendDecided(
      this.#store,
      this.#lease.id,
      (state) => [...pending, ...(decide(state) ?? [])],
      { actor: this.#lease.owner, epoch: this.#lease.epoch },
    ).catch((error: unknown) => {
      written();
      this.#pending.unshift(...pending);
      throw error;
    });
    written();
    this.#newest = stored.state;
    this.#hasCompleted ||= events.some(({ type }) => type === "loop.completed");
    if (events.length > 0) await this.#feed.committed(stored, events, this.#lease.owner);
    return stored;
  }
}

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

  /** The revision up to which everything was told, or was there before. */
  get seen(): number {
    return this.#seen;
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
