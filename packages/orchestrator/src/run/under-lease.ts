import type { Lease } from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";

/** Does something to a loop under its lease, so that nobody can begin to drive it meanwhile. */
export async function underLease<T>(
  deps: OrchestratorDeps,
  id: string,
  act: (lease: Lease) => Promise<T>,
): Promise<T> {
  const { store, owner, leaseTtlMs } = deps;
  const lease = await store.claim(id, owner, leaseTtlMs);
  try {
    return await whileRenewed(deps, leaseTtlMs, [() => store.renew(lease)], async () => {
      await deps.endEarlier({ loop: id, epoch: lease.epoch });
      return act(lease);
    });
  } finally {
    await store.release(lease).catch(() => undefined);
  }
}

/**
 * Renews leases and claims in time while something takes longer than they last. What was lost all the same is refused
 * where it is used.
 */
export async function whileRenewed<T>(
  { clock }: OrchestratorDeps,
  ttlMs: number,
  renewals: readonly (() => Promise<void>)[],
  work: () => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const renew = async () => {
    while (!over.signal.aborted) {
      await clock.sleep(ttlMs / 3, over.signal);
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
