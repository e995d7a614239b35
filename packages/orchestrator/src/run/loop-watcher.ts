import {
  type Clock,
  isLoopError,
  LoopError,
  type LoopStore,
  statusWord,
  type TreeClaim,
} from "@ccw-loop/core";
import type { HeldLease } from "./lease.ts";
import type { RecordedFeed } from "./recorder.ts";

/** How often in a row the store may be unavailable to the watch, a little later each time. */
const MAX_READ_FAILURES = 5;
const LOOK_AGAIN_MS = 200;

/**
 * Why a running action is cut off: `lease_taken` by another owner, `lease_expired` when it was not renewed in time. `cause` is
 * the store's error for `store`.
 */
export class Interruption extends Error {
  readonly kind:
    | "status"
    | "signal"
    | "lease_taken"
    | "lease_expired"
    | "files"
    | "store"
    | "limit";

  constructor(kind: Interruption["kind"], message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "Interruption";
    this.kind = kind;
  }
}

/** What a driven loop holds, and where its events come from. */
interface Held {
  lease: HeldLease;
  claim: TreeClaim;
  feed: RecordedFeed;
}

/**
 * Watches one loop while it is driven: an operator's command, a lost lease, files that another loop claimed, an
 * unreadable loop or the caller's signal abort `signal` with an Interruption, which ends the running turn. Keeps the
 * lease and the claim on the files meanwhile.
 */
export class LoopWatcher {
  readonly #abort = new AbortController();
  readonly #done = new AbortController();
  readonly #deps: { store: LoopStore; clock: Clock };
  readonly #lease: HeldLease;
  readonly #claim: TreeClaim;
  readonly #tasks: Promise<void>[];
  #changed = Promise.withResolvers<void>();

  constructor(
    deps: { store: LoopStore; clock: Clock },
    { lease, claim, feed }: Held,
    outer: AbortSignal | undefined,
  ) {
    this.#deps = deps;
    this.#lease = lease;
    this.#claim = claim;
    const cut = () => this.#cut("signal", String(outer?.reason ?? "interrupted"));
    if (outer?.aborted) cut();
    outer?.addEventListener("abort", cut, { once: true, signal: this.#done.signal });
    // Each by itself: a busy disk that delays the claim must not cost the lease.
    const kept = [this.#keep(() => this.#renewLease()), this.#keep(() => this.#renewClaim())];
    this.#tasks = [this.#watch(feed), ...kept, this.#watchLease()];
  }

  /** Aborted with an Interruption as soon as the loop must not go on. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get interruption(): Interruption | undefined {
    this.#noticeLapse();
    const reason: unknown = this.#abort.signal.reason;
    return reason instanceof Interruption ? reason : undefined;
  }

  /** Resolves when the loop may have changed the next time, whoever changed it. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  /**
   * Throws the Interruption where the lease may have run out unseen, as that of a process that was suspended. Called before
   * something begins that another owner would begin as well.
   */
  requireLease(): void {
    if (!this.#holdsLease()) throw this.interruption;
  }

  /** Before something that only the owner may do, and that no signal cuts off. Throws `fenced` when it was lost. */
  async confirmLease(): Promise<void> {
    await this.#lease.renew();
    await this.#claim.renew();
  }

  async close(): Promise<void> {
    this.#done.abort();
    await Promise.all(this.#tasks);
  }

  /** Whether the lease cannot have run out unseen. */
  #holdsLease(): boolean {
    return this.#lease.leftMs > 0;
  }

  #cut(kind: Interruption["kind"], message: string, cause?: unknown): void {
    if (!this.#abort.signal.aborted) this.#abort.abort(new Interruption(kind, message, cause));
  }

  async #watch(feed: RecordedFeed): Promise<void> {
    const { store, clock } = this.#deps;
    const done = this.#done.signal;
    for (let failures = 0; !done.aborted; ) {
      try {
        const hints = store.watch(this.#lease.scope.loop, done);
        if (failures > 0) await this.#look(feed);
        for await (const _ of hints) {
          await this.#look(feed);
          failures = 0;
        }
        if (done.aborted) return;
        throw new LoopError("store_unavailable", "The store's change stream ended.");
      } catch (error) {
        if (done.aborted) return;
        failures += 1;
        if (!isLoopError(error, "store_unavailable") || failures > MAX_READ_FAILURES) {
          return this.#cut("store", `The loop cannot be read: ${error}`, error);
        }
        await clock.sleep(LOOK_AGAIN_MS * failures, done);
      }
    }
  }

  async #look(feed: RecordedFeed): Promise<void> {
    const { state, revision } = await this.#deps.store.read(this.#lease.scope.loop);
    if (state.status !== "running") this.#cut("status", `The loop is ${statusWord(state)}.`);
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
    await feed.catchUp(revision);
  }

  /** Renews from time to time, sooner again where that could not be done. */
  async #keep(renew: () => Promise<boolean>): Promise<void> {
    const done = this.#done.signal;
    const { ttlMs } = this.#lease.lease;
    for (let renewed = true; !done.aborted && this.#holdsLease(); ) {
      await this.#deps.clock.sleep(ttlMs / (renewed ? 3 : 12), done);
      if (!done.aborted) renewed = await renew();
    }
  }

  async #renewLease(): Promise<boolean> {
    if (!this.#holdsLease()) return false;
    try {
      await this.#lease.renew();
      return true;
    } catch (error) {
      if (isLoopError(error, "fenced")) this.#cut("lease_taken", "The lease was lost.");
      return false;
    }
  }

  async #renewClaim(): Promise<boolean> {
    if (!this.#holdsLease()) return false;
    try {
      await this.#claim.renew();
      return true;
    } catch (error) {
      if (isLoopError(error, "fenced"))
        this.#cut("files", `${error.message} Go on when it has ended.`);
      return false;
    }
  }

  /** Also when the store does not answer to a renewal. */
  async #watchLease(): Promise<void> {
    const done = this.#done.signal;
    while (!done.aborted && this.#holdsLease()) {
      await this.#deps.clock.sleep(this.#lease.leftMs, done);
    }
    if (!done.aborted) this.#noticeLapse();
  }

  #noticeLapse(): void {
    if (this.#holdsLease()) return;
    this.#cut(
      "lease_expired",
      "The lease was not renewed in time, so what worked under it was ended.",
    );
  }
}
