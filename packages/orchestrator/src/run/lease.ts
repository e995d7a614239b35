import type { Lease, ProcessScope } from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";

/** Parts of a lease's time to live: for how long its owner relies on it, and its processes live, without a renewal. */
const RELIED_ON = 2 / 3;
const KEPT_ALIVE = 3 / 4;

type Deps = Pick<OrchestratorDeps, "store" | "clock" | "owner" | "leaseTtlMs" | "keepAlive">;

/**
 * A lease of this process. Its time counts from before the store was asked, so it ends here before the store lets
 * anybody else claim, also when this process is suspended at any instant.
 */
export class HeldLease {
  readonly lease: Lease;
  readonly #deps: Deps;
  #since: number;

  private constructor(deps: Deps, lease: Lease, since: number) {
    this.#deps = deps;
    this.lease = lease;
    this.#since = since;
  }

  /** Throws `loop_busy`. */
  static async claim(deps: Deps, id: string): Promise<HeldLease> {
    const since = deps.clock.monotonic();
    const lease = await deps.store.claim(id, deps.owner, deps.leaseTtlMs);
    const held = new HeldLease(deps, lease, since);
    await held.#keepAlive();
    return held;
  }

  get scope(): ProcessScope {
    return { loop: this.lease.id, epoch: this.lease.epoch };
  }

  /** For how many milliseconds one can still rely on it; 0 when it may have run out unseen. */
  get leftMs(): number {
    const passed = this.#deps.clock.monotonic() - this.#since;
    return Math.max(0, this.lease.ttlMs * RELIED_ON - passed);
  }

  /** Throws `fenced` when somebody else has claimed the loop. */
  async renew(): Promise<void> {
    const since = this.#deps.clock.monotonic();
    await this.#deps.store.renew(this.lease);
    this.#since = Math.max(this.#since, since);
    await this.#keepAlive();
  }

  async release(): Promise<void> {
    await this.#deps.store.release(this.lease);
    await this.#deps.keepAlive(this.scope, null);
  }

  async #keepAlive(): Promise<void> {
    await this.#deps.keepAlive(this.scope, this.#since + this.lease.ttlMs * KEPT_ALIVE);
  }
}

/** Does something to a loop under its lease, so that nobody can begin to drive it meanwhile. */
export async function underLease<T>(
  deps: OrchestratorDeps,
  id: string,
  act: (lease: HeldLease) => Promise<T>,
): Promise<T> {
  const lease = await HeldLease.claim(deps, id);
  try {
    return await whileRenewed(deps, [() => lease.renew()], async () => {
      await deps.endSuperseded(lease.scope);
      return act(lease);
    });
  } finally {
    await lease.release().catch(() => undefined);
  }
}

/**
 * Renews leases and claims in time while something takes longer than they last. What was lost all the same is refused
 * where it is used.
 */
export async function whileRenewed<T>(
  { clock, leaseTtlMs }: OrchestratorDeps,
  renewals: readonly (() => Promise<void>)[],
  work: () => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const renew = async () => {
    while (!over.signal.aborted) {
      await clock.sleep(leaseTtlMs / 3, over.signal);
      if (over.signal.aborted) return;
      for (const one of renewals) await one().catch(() => undefined);
    }
  };
  const renewing = renew();
  try {
    return await work();
  } finally {
    over.abort();
    await renewing;
  }
}
