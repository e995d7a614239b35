import type { OrchestratorDeps } from "../deps.ts";
import { HeldLease } from "./held-lease.ts";

/** Does something to a loop under its lease, so that nobody can begin to drive it meanwhile. */
export async function underLease<T>(
  deps: OrchestratorDeps,
  id: string,
  act: (lease: HeldLease) => Promise<T>,
): Promise<T> {
  const lease = await HeldLease.claim(deps, id);
  try {
    return await whileRenewed(deps, [() => lease.renew()], async () => {
      await deps.endEarlier(lease.scope);
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
