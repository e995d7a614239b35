import type { Driver, LoopState, StoredLoop, UndrivenLoop } from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";
import { waitEndsAt } from "../run/wait-end.ts";
import { dispositionOf } from "../supervisor/disposition.ts";

type Deps = Pick<OrchestratorDeps, "store" | "clock">;

/** Who drives a loop, or since when nobody does although it is to be driven. */
export async function driverOf(deps: Deps, state: LoopState): Promise<Driver> {
  const lease = await deps.store.leaseOf(state.loop_id);
  if (lease?.living) return { driven_by: lease.owner, undriven_since: null };
  const isIdle = dispositionOf(state, deps.clock.now().getTime()) !== "drive";
  if (isIdle) return { driven_by: null, undriven_since: null };
  const waited = state.waiting ? (waitEndsAt(state.waiting) ?? 0) : 0;
  const seen = Date.parse(lease?.renewed_at ?? state.updated_at);
  return { driven_by: null, undriven_since: new Date(Math.max(seen, waited)).toISOString() };
}

/** Those of these loops that nobody drives although they are to be driven. */
export async function undrivenOf(
  deps: Deps,
  loops: readonly StoredLoop[],
): Promise<UndrivenLoop[]> {
  const found: UndrivenLoop[] = [];
  for (const { state } of loops) {
    if (state.status !== "running") continue;
    // A loop of which that cannot be told takes no other one with it.
    const driver = await driverOf(deps, state).catch(() => null);
    const since = driver?.undriven_since ?? null;
    if (since !== null) found.push({ id: state.loop_id, since });
  }
  return found;
}
