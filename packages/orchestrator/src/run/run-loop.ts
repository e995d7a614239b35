import {
  decide,
  isLoopError,
  type LoopEvent,
  type LoopObserver,
  type LoopState,
  orOn,
  type RunOptions,
  requireOpen,
  type StoredLoop,
  toLoopError,
} from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";
import type { Place } from "./clones.ts";
import { driveWithSession, isUnderWay, type Run, type Steering } from "./drive-session.ts";
import { HeldLease } from "./lease.ts";
import { requirePlace, takePlace } from "./place.ts";
import { RecordedFeed, Recorder } from "./recorder.ts";

/**
 * Claims a loop, starts or resumes it, drives it, and always gives it back. A loop that somebody resumed in between is
 * driven on: they saw it driven and rely on that.
 */
export async function runLoop(
  deps: OrchestratorDeps,
  id: string,
  options: RunOptions,
  steering: Steering,
): Promise<LoopState> {
  const before = await deps.store.read(id);
  const run = await begin(deps, before, options, steering);
  const at = () => deps.clock.now().toISOString();
  let state = await claimAndDrive(run, (newest) => startEvents(newest, at()));
  while (!isUnderWay(state) && !options.signal?.aborted && !options.leave?.aborted) {
    const newest = await orOn(deps.store.read(id), ["loop_not_found"], null);
    if (!newest || !isUnderWay(newest.state)) break;
    const driven = await orOn(
      claimAndDrive(run, () => null),
      ["loop_busy"],
      null,
    );
    if (driven === null) return newest.state;
    state = driven;
  }
  return state;
}

/**
 * Claims a loop and drives it as far as it runs already; never starts or resumes one. Throws `workspace_busy` while
 * another loop works on its files.
 */
export async function driveClaimed(
  deps: OrchestratorDeps,
  id: string,
  options: RunOptions & { onClaimed: () => void },
  steering: Steering,
): Promise<LoopState> {
  const before = await deps.store.read(id);
  await requirePlace(deps, before.state);
  const run = await begin(deps, before, options, steering);
  return claimAndDrive(run, () => {
    options.onClaimed();
    return null;
  });
}

async function begin(
  deps: OrchestratorDeps,
  { state: before, revision }: StoredLoop,
  options: RunOptions,
  steering: Steering,
): Promise<Run> {
  const id = before.loop_id;
  const observers = await deps.observers();
  const observed = withObservers(observers, options);
  const feed = new RecordedFeed(deps.store, id, revision, (recorded) =>
    observed.onEvent?.({ kind: "recorded", id, recorded }),
  );
  return { deps, id, options: observed, steering, feed, observers, before };
}

/**
 * Drives a loop under a lease and a claim on its files. An unexpected error pauses the loop, so that it is not left
 * running without a driver. With `onAbort: "release"` it stays running for the next supervisor, unless only a person
 * can mend the error.
 */
async function claimAndDrive(
  run: Run,
  open: (state: LoopState) => LoopEvent[] | null,
): Promise<LoopState> {
  const { deps, id, feed, observers, before } = run;
  const { store } = deps;
  const lease = await HeldLease.claim(deps, id);
  tellObservers(observers, (observer) => observer.begin(before, feed.seen));
  const recorder = new Recorder(store, lease.lease, feed);
  let place: Place | undefined;
  const giveBack = () =>
    runAll(
      () => feed.catchUp(),
      async () => place?.claim.release(),
      () => lease.release(),
      async () => tellObservers(observers, (observer) => observer.end(id)),
    );
  let state: LoopState;
  try {
    place = await takePlace(deps, lease, recorder, run.options.signal);
    await deps.endSuperseded(lease.scope);
    await lease.renew();
    ({ state } = await recorder.record(open));
    if (state.status === "running") {
      state = await driveWithSession(run, { place, lease, recorder });
      if (state.status === "completed" && !recorder.hasCompleted) {
        state = await reopen(run, recorder);
      }
    }
  } catch (error) {
    const isForPerson = isLoopError(error, "repository_refused", "verify_unavailable");
    const isReleased = run.options.onAbort === "release" && !isForPerson;
    if (!isLoopError(error, "fenced") && !isReleased) {
      await pause(run, recorder, toLoopError(error).message);
    }
    await giveBack().catch(() => undefined);
    throw error;
  }
  await giveBack();
  return state;
}

/**
 * Only the driver may complete the loop that it drives: where another program wrote `completed`, the loop is opened
 * again.
 */
async function reopen({ deps }: Run, recorder: Recorder): Promise<LoopState> {
  const reason =
    "The loop was recorded as completed by another program, so its tests have to run again.";
  const at = deps.clock.now().toISOString();
  const { state } = await recorder.record((newest) =>
    newest.status === "completed" ? [{ type: "receipt.refused", at, reason }] : null,
  );
  return state;
}

/**
 * Pauses the loop if that can be recorded. If the store itself failed, the next run finds the loop as after a crash.
 */
async function pause({ deps }: Run, recorder: Recorder, reason: string): Promise<void> {
  const at = deps.clock.now().toISOString();
  const paused = (state: LoopState): LoopEvent[] | null =>
    state.status === "running" ? [{ type: "loop.paused", at, reason }] : null;
  await recorder.record(paused).catch(() => undefined);
}

function startEvents(state: LoopState, at: string): LoopEvent[] | null {
  requireOpen(state);
  if (state.status === "running") return null;
  return decide(state, { type: state.status === "created" ? "start" : "resume" }, at);
}

/** Does all of it, whatever fails, then throws what failed first. */
async function runAll(...steps: (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** Calls every observer. One that throws keeps no other from being called and does not disturb the loop. */
export function tellObservers(
  observers: readonly LoopObserver[],
  tell: (observer: LoopObserver) => void,
): void {
  for (const observer of observers) {
    try {
      tell(observer);
    } catch {
      // An observer tells its own troubles.
    }
  }
}

export function withObservers(observers: readonly LoopObserver[], options: RunOptions): RunOptions {
  if (observers.length === 0) return options;
  return {
    ...options,
    onEvent(live) {
      options.onEvent?.(live);
      tellObservers(observers, (observer) => observer.event(live));
    },
  };
}
