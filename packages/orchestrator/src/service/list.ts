import {
  type Driver,
  isLoopError,
  type ListQuery,
  type LoopList,
  type LoopState,
  type StoredLoop,
  type SummaryChange,
  type SummaryList,
  summaryOf,
  type UndrivenLoop,
} from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";
import { dispositionOf, waitEndsAt } from "../run/waits.ts";

type Deps = Pick<OrchestratorDeps, "store" | "clock">;

export async function listLoops(deps: Deps, query?: ListQuery): Promise<LoopList> {
  const page = await deps.store.list(query);
  const undriven: UndrivenLoop[] = [];
  for (const [id, { undriven_since: since }] of await driversOf(deps, page.loops)) {
    if (since !== null) undriven.push({ id, since });
  }
  return { ...page, undriven };
}

export async function summarizeLoops(deps: Deps, query?: ListQuery): Promise<SummaryList> {
  const { loops, ...rest } = await deps.store.list(query);
  const drivers = await driversOf(deps, loops);
  return { ...rest, loops: loops.map(({ state }) => summaryOf(state, drivers.get(state.loop_id))) };
}

/** See `LoopService.summaryChanges`. What changes again before it is read is told once. */
export function summaryChanges({ store }: Deps, signal: AbortSignal): AsyncIterable<SummaryChange> {
  // Listens from now on, not from when the first one is asked for.
  const changed = store.watch(undefined, signal);
  return (async function* () {
    for await (const id of changed) {
      try {
        yield { id, summary: summaryOf((await store.read(id)).state) };
      } catch (error) {
        if (isLoopError(error, "loop_not_found", "invalid_id")) yield { id, summary: null };
        else if (!isLoopError(error, "store_corrupt")) throw error;
      }
    }
  })();
}

/** Who drives a loop; else since when nobody does, if it is to be driven. */
export async function driverOf(deps: Deps, state: LoopState): Promise<Driver> {
  const lease = await deps.store.leaseOf(state.loop_id);
  if (lease?.living) return { driven_by: lease.owner, undriven_since: null };
  const isIdle = dispositionOf(state, deps.clock.now().getTime()) !== "drive";
  if (isIdle) return { driven_by: null, undriven_since: null };
  const waited = state.waiting ? (waitEndsAt(state.waiting) ?? 0) : 0;
  const seen = Date.parse(lease?.renewed_at ?? state.updated_at);
  return { driven_by: null, undriven_since: new Date(Math.max(seen, waited)).toISOString() };
}

/** Of the running ones among these loops, by their ids. */
async function driversOf(
  deps: Deps,
  loops: readonly StoredLoop[],
): Promise<ReadonlyMap<string, Driver>> {
  const found = new Map<string, Driver>();
  for (const { state } of loops) {
    if (state.status !== "running") continue;
    // A loop of which that cannot be told takes no other one with it.
    const driver = await driverOf(deps, state).catch(() => null);
    if (driver !== null) found.set(state.loop_id, driver);
  }
  return found;
}
