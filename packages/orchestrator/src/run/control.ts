import { type Clock, controlSignal, isLoopError, type Lease, type LoopStore } from "@ccw-loop/core";
import type { RecordedFeed } from "./feed.ts";

/** Why a running action is cut off. */
export class Interruption extends Error {
  readonly kind: "status" | "signal" | "lease" | "limit";

  constructor(kind: Interruption["kind"], message: string) {
    super(message);
    this.name = "Interruption";
    this.kind = kind;
  }
}

/**
 * Watches one loop while it is driven: an operator's command, a lost lease or the caller's signal abort
 * `signal` with an Interruption, which ends the running turn. Keeps the lease meanwhile.
 */
export class Control {
  readonly #abort = new AbortController();
  readonly #done = new AbortController();
  readonly #deps: { store: LoopStore; clock: Clock };
  readonly #lease: Lease;
  readonly #tasks: Promise<void>[];

  constructor(
    deps: { store: LoopStore; clock: Clock },
    lease: Lease,
    feed: RecordedFeed,
    outer: AbortSignal | undefined,
  ) {
    this.#deps = deps;
    this.#lease = lease;
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

  async close(): Promise<void> {
    this.#done.abort();
    await Promise.all(this.#tasks);
  }

  #cut(kind: Interruption["kind"], message: string): void {
    if (!this.#abort.signal.aborted) this.#abort.abort(new Interruption(kind, message));
  }

  async #watch(feed: RecordedFeed): Promise<void> {
    const { store } = this.#deps;
    try {
      for await (const _ of store.watch(this.#lease.id, this.#done.signal)) {
        const { state } = await store.read(this.#lease.id);
        const control = controlSignal(state);
        if (!control.continue) this.#cut("status", `The loop is ${control.reason}.`);
        await feed.catchUp();
      }
    } catch (error) {
      if (!this.#done.signal.aborted) this.#cut("status", `The loop cannot be read: ${error}`);
    }
  }

  async #keepLease(): Promise<void> {
    const { store, clock } = this.#deps;
    const { ttlMs } = this.#lease;
    let renewed = clock.monotonic();
    while (!this.#done.signal.aborted) {
      await clock.sleep(ttlMs / 3, this.#done.signal);
      if (this.#done.signal.aborted) return;
      try {
        await store.renew(this.#lease);
        renewed = clock.monotonic();
      } catch (error) {
        const late = clock.monotonic() - renewed > (ttlMs * 3) / 4;
        if (isLoopError(error, "fenced") || late) return this.#cut("lease", "The lease was lost.");
      }
    }
  }
}
