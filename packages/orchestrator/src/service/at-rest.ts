import { LoopError } from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";
import { HeldLease } from "../run/held-lease.ts";

/** Whoever drives a loop gives it back within moments of its end; so long it is waited for. */
const LETS_GO_MS = 2000;
const LOOK_EVERY_MS = 50;

/** Throws `loop_busy` when somebody drives the loop and does not let go of it. */
export async function requireNobody({ store, clock }: OrchestratorDeps, id: string): Promise<void> {
  for (let waited = 0; ; waited += LOOK_EVERY_MS) {
    const owner = await store.ownerOf(id);
    if (owner === null) return;
    if (waited >= LETS_GO_MS) {
      throw new LoopError("loop_busy", `Loop ${id} is still being driven by ${owner}. Try again.`);
    }
    await clock.sleep(LOOK_EVERY_MS);
  }
}

/** Does something to a loop under its lease, so that nobody can begin to drive it meanwhile. */
export async function underLease<T>(
  deps: OrchestratorDeps,
  id: string,
  act: (lease: HeldLease) => Promise<T>,
): Promise<T> {
  const lease = await HeldLease.claim(deps, id);
  const over = new AbortController();
  const kept = keepLease(deps, lease, over.signal);
  try {
    await deps.endEarlier(lease.scope);
    return await act(lease);
  } finally {
    over.abort();
    await kept;
    await lease.release().catch(() => undefined);
  }
}

/** Large files take longer than a lease lasts. One that was lost all the same is refused where it is used. */
async function keepLease(
  { clock, leaseTtlMs }: OrchestratorDeps,
  lease: HeldLease,
  over: AbortSignal,
): Promise<void> {
  while (!over.aborted) {
    await clock.sleep(leaseTtlMs / 3, over);
    if (!over.aborted) await lease.renew().catch(() => undefined);
  }
}
