import {
  isLoopError,
  LoopError,
  type LoopObserver,
  type LoopState,
  type RunOptions,
  type TreeClaim,
} from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";
import { PromptLibrary } from "../prompts.ts";
import { Sessions } from "../turns/sessions.ts";
import type { Place } from "./clones.ts";
import { drive } from "./drive.ts";
import type { HeldLease } from "./lease.ts";
import { Interruption, LoopWatcher } from "./loop-watcher.ts";
import { excludedPaths, excluding } from "./outside-changes.ts";
import { requireKept } from "./place.ts";
import type { RecordedFeed, Recorder } from "./recorder.ts";

/** The agent sessions of the loops that this process drives, by which a line reaches the running turn. */
export type Steering = Map<string, Sessions>;

export interface Run {
  deps: OrchestratorDeps;
  id: string;
  options: RunOptions;
  steering: Steering;
  feed: RecordedFeed;
  observers: readonly LoopObserver[];
  /** As it was read before it was claimed. */
  before: LoopState;
}

interface Held {
  place: Place;
  lease: HeldLease;
  recorder: Recorder;
}

/** Drives with agent sessions that are closed whatever happens. */
export async function driveWithSession(run: Run, held: Held): Promise<LoopState> {
  const { deps, id, steering } = run;
  const { lease, place } = held;
  const prompts = new PromptLibrary(deps.cwd, deps.files);
  const sessions = new Sessions({
    deps,
    cwd: place.cwd,
    scope: lease.scope,
    instructions: () => prompts.render("instructions", {}),
  });
  steering.set(id, sessions);
  const close = async () => {
    if (steering.get(id) === sessions) steering.delete(id);
    await sessions.close();
  };
  let state: LoopState;
  try {
    state = await driveUntilDone(run, held, { prompts, sessions });
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
  await close();
  return state;
}

/**
 * Drives until nothing is left to do. Goes on after a pause that was resumed before the turn had ended, and after a
 * lease that expired and nobody else claimed.
 */
async function driveUntilDone(
  { deps, id, options, feed }: Run,
  { place, lease, recorder }: Held,
  { prompts, sessions }: { prompts: PromptLibrary; sessions: Sessions },
): Promise<LoopState> {
  const { cwd, claim } = place;
  const { state: before } = await deps.store.read(id);
  await requireKept(place.workspace, before);
  const leftOut = excludedPaths(before);
  const workspace = excluding(place.workspace, leftOut);
  const { scope } = lease;
  const shared = { id, deps, options, cwd, scope, recorder, sessions, prompts, workspace, leftOut };
  for (let cutOff = "crash"; ; ) {
    const watcher = new LoopWatcher(deps, { lease, claim, feed }, options.signal);
    const ctx = { ...shared, watcher };
    try {
      const state = await drive(ctx, cutOff);
      if (!isUnderWay(state) || watcher.interruption?.kind !== "status") return state;
    } catch (error) {
      if (!(error instanceof Interruption) || error.kind !== "lease_expired") throw error;
      cutOff = error.message;
      await sessions.close();
      await renewAfter(error, id, { lease, claim });
    } finally {
      await watcher.close();
    }
  }
}

/** Throws `fenced` when the lease cannot be relied on again, `workspace_busy` when another loop has the files by now. */
async function renewAfter(
  expired: Interruption,
  id: string,
  { lease, claim }: { lease: HeldLease; claim: TreeClaim },
): Promise<void> {
  try {
    await lease.renew();
  } catch (cause) {
    throw new LoopError("fenced", `Loop ${id}: ${expired.message}`, { cause });
  }
  await claim.renew().catch((cause: unknown) => {
    if (!isLoopError(cause, "fenced")) throw cause;
    const message = `Loop ${id}: ${cause.message} Go on when it has ended.`;
    throw new LoopError("workspace_busy", message, { cause });
  });
}

export function isUnderWay(state: LoopState): boolean {
  return state.status === "running" && !state.waiting;
}
