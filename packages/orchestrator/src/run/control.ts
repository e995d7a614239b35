import {
  type Clock,
  controlSignal,
  isLoopError,
  type Lease,
  LoopError,
  type LoopStore,
  type TreeClaim,
} from "@ccw-loop/core";
import type { RecordedFeed } from "./feed.ts";

/** How often in a row the store may be unavailable to the watch, a little later each time. */
const PATIENCE = 5;
const LOOK_AGAIN_MS = 200;

/** Why a running action is cut off. `cause` is the store's error for `store`. */
export class Interruption extends Error {
  readonly kind: "status" | "signal" | "lease" | "files" | "store" | "limit";

  constructor(kind: Interruption["kind"], message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "Interruption";
    this.kind = kind;
  }
}

/** What a driven loop holds, and where its events come from. */
interface Held {
  lease: Lease;
  claim: TreeClaim;
  feed: RecordedFeed;
}

/**
 * Watches one loop while it is driven: an operator's command, a lost lease, files that another loop claimed, an
 * unreadable loop or the caller's signal abort `signal` with an Interruption, which ends the running turn. Keeps the
 * lease and the claim on the files meanwhile.
 */
export class Control {
  readonly #abort = new AbortController();
  readonly #done = new AbortController();
  readonly #deps: { store: LoopStore; clock: Clock };
  readonly #lease: Lease;
  readonly #claim: TreeClaim;
  readonly #tasks: Promise<void>[];
  #changed = Promise.withResolvers<void>();
  #renewed: number;

  constructor(
    deps: { store: LoopStore; clock: Clock },
    { lease, claim, feed }: Held,
    outer: AbortSignal | undefined,
  ) {
    this.#deps = deps;
    this.#lease = lease;
    this.#claim = claim;
    this.#renewed = deps.clock.monotonic();
    const cut = () => this.#cut("signal", String(outer?.reason ?? "interrupted"));
    if (outer?.aborted) cut();
    outer?.addEventListener("abort", cut, { once: true, signal: this.#done.signal });
    this.#tasks = [this.#watch(feed), this.#keepLease()];
  }

  /** Aborted with an Interruption as soon as the loop must not go on. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get interruption(): Interruption | undefined {
    const reason: unknown = this.#abort.signal.reason;
    return reason instanceof Interruption ? reason : undefined;
  }

  /** Resolves when the loop may have changed the next time, whoever changed it. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  /**
   * Whether the lease cannot have run out unseen. A process that was suspended may have lost it: before something
   * begins that another owner would begin as well, one looks here, and calls `renewLease` when it is false.
   */
  holdsLease(): boolean {
    return this.#deps.clock.monotonic() - this.#renewed < (this.#lease.ttlMs * 3) / 4;
  }

  /** Throws the Interruption when the lease or the files were lost, or cannot be renewed in time. */
  async renewLease(): Promise<void> {
    try {
      await this.#deps.store.renew(this.#lease);
      await this.#claim.renew().catch((error: unknown) => {
        if (!isLoopError(error, "fenced")) throw error;
        this.#cut("files", `${error.message} Go on when it has ended.`);
      });
      this.#renewed = this.#deps.clock.monotonic();
    } catch (error) {
      if (isLoopError(error, "fenced") || !this.holdsLease()) {
        this.#cut("lease", "The lease was lost.");
      }
    }
    this.#abort.signal.throwIfAborted();
  }

  async close(): Promise<void> {
    this.#done.abort();
    await Promise.all(this.#tasks);
  }

  #cut(kind: Interruption["kind"], message: string, cause?: unknown): void {
    if (!this.#abort.signal.aborted) this.#abort.abort(new Interruption(kind, message, cause));
  }

  async #watch(feed: RecordedFeed): Promise<void> {
    const { store, clock } = this.#deps;
    const done = this.#done.signal;
    for (let failures = 0; !done.aborted; ) {
      try {
        const hints = store.watch(this.#lease.id, done);
        if (failures > 0) await this.#look(feed);
        for await (const _ of hints) {
          await this.#look(feed);
          failures = 0;
        }
        if (done.aborted) return;
        throw new LoopError("store_unavailable", "The store tells of no more changes.");
      } catch (error) {
        if (done.aborted) return;
        failures += 1;
        if (!isLoopError(error, "store_unavailable") || failures > PATIENCE) {
          return this.#cut("store", `The loop cannot be read: ${error}`, error);
        }
        await clock.sleep(LOOK_AGAIN_MS * failures, done);
      }
    }
  }

  async #look(feed: RecordedFeed): Promise<void> {
    const { state, revision } = await this.#deps.store.read(this.#lease.id);
    const control = controlSignal(state);
    if (!control.continue) this.#cut("status", `The loop is ${control.reason}.`);
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
    await feed.catchUp(revision);
  }

  async #keepLease(): Promise<void> {
    const every = this.#lease.ttlMs / 3;
    while (!this.#done.signal.aborted) {
      await this.#deps.clock.sleep(every, this.#done.signal);
      if (this.#done.signal.aborted) return;
      await this.renewLease().catch(() => undefined);
      if (["lease", "files"].includes(this.interruption?.kind ?? "")) return;
    }
  }
}
