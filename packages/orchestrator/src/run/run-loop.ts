import {
  decide,
  isLoopError,
  LoopError,
  type LoopEvent,
  type LoopState,
  type RunOptions,
  requireOpen,
  type StoredLoop,
  type TreeClaim,
  toLoopError,
} from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";
import { PromptLibrary } from "../prompts.ts";
import { SessionKeeper } from "../turns/session-keeper.ts";
import type { RunContext } from "./context.ts";
import { Control, Interruption } from "./control.ts";
import { drive } from "./drive.ts";
import { HeldLease } from "./lease.ts";
import { excludedPaths, excluding } from "./outside-changes.ts";
import { type Place, requireKept, requirePlace, takePlace } from "./place.ts";
import { RecordedFeed, Recorder } from "./recorder.ts";

/** How a line reaches the running turn of a loop that this process drives. */
export type Steering = Map<string, (text: string) => Promise<void>>;

/** One `run` of one loop. */
interface Run {
  deps: OrchestratorDeps;
  id: string;
  options: RunOptions;
  steering: Steering;
  feed: RecordedFeed;
}

/**
 * Claims a loop, starts or resumes it, drives it, and gives it back whatever happens. Goes on with a loop that
 * somebody resumed before it was given back: they saw it driven and rely on that.
 */
export async function runLoop(
  deps: OrchestratorDeps,
  id: string,
  options: RunOptions,
  steering: Steering,
): Promise<LoopState> {
  const before = await deps.store.read(id);
  const run = begin(deps, before, options, steering);
  const at = () => deps.clock.now().toISOString();
  let state = await claimAndDrive(run, (newest) => startEvents(newest, at()));
  while (!isUnderWay(state) && !options.signal?.aborted) {
    const newest = await readIfExists(deps, id);
    if (!newest || !isUnderWay(newest)) break;
    try {
      state = await claimAndDrive(run, () => null);
    } catch (error) {
      if (isLoopError(error, "loop_busy")) return newest;
      throw error;
    }
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
  const run = begin(deps, before, options, steering);
  return claimAndDrive(run, () => {
    options.onClaimed();
    return null;
  });
}

function begin(
  deps: OrchestratorDeps,
  { state: { loop_id: id }, revision }: StoredLoop,
  options: RunOptions,
  steering: Steering,
): Run {
  const emit = options.onEvent ?? (() => undefined);
  const feed = new RecordedFeed(deps.store, id, revision, (recorded) =>
    emit({ kind: "recorded", id, recorded }),
  );
  return { deps, id, options, steering, feed };
}

/**
 * Drives under a lease, and under a claim on the files. What nobody expected pauses the loop, so that nobody finds it
 * running with nobody behind it; unless it is to be released, which leaves it to the next one who looks for such loops.
 */
async function claimAndDrive(
  run: Run,
  open: (state: LoopState) => LoopEvent[] | null,
): Promise<LoopState> {
  const { deps, id, feed } = run;
  const { store } = deps;
  const lease = await HeldLease.claim(deps, id);
  const recorder = new Recorder(store, lease.lease, feed);
  let place: Place | undefined;
  const giveBack = () =>
    runAll(
      () => feed.catchUp(),
      async () => place?.claim.release(),
      () => lease.release(),
    );
  let state: LoopState;
  try {
    place = await takePlace(deps, lease, recorder);
    await deps.endEarlier(lease.scope);
    await lease.renew();
    ({ state } = await recorder.record(open));
    if (state.status === "running") {
      state = await driveWithSession(run, { place, lease, recorder });
      if (state.status === "completed" && !recorder.hasCompleted) {
        state = await reopen(run, recorder);
      }
    }
  } catch (error) {
    if (!isLoopError(error, "fenced") && run.options.onAbort !== "release") {
      await pause(run, recorder, toLoopError(error).message);
    }
    await giveBack().catch(() => undefined);
    throw error;
  }
  await giveBack();
  return state;
}

/** While a loop is driven, nobody but its driver completes it: an end that somebody else wrote is none. */
async function reopen({ deps }: Run, recorder: Recorder): Promise<LoopState> {
  const reason =
    "The loop was recorded as completed by another program, so its tests have to run again.";
  const at = deps.clock.now().toISOString();
  const { state } = await recorder.record((newest) =>
    newest.status === "completed" ? [{ type: "receipt.refused", at, reason }] : null,
  );
  return state;
}

/** What is held while a loop is driven. */
interface Held {
  place: Place;
  lease: HeldLease;
  recorder: Recorder;
}

/** Drives with one agent session, which is closed whatever happens. */
async function driveWithSession(run: Run, held: Held): Promise<LoopState> {
  const { deps, id, steering } = run;
  const { lease, place } = held;
  const prompts = new PromptLibrary(deps.cwd, deps.files);
  const sessions = new SessionKeeper({
    agent: (state) => deps.agent(state.settings ?? {}),
    cwd: place.cwd,
    scope: lease.scope,
    instructions: () => prompts.render("instructions", {}),
  });
  const steer = (text: string) => steerTurn(sessions, id, text);
  steering.set(id, steer);
  const close = async () => {
    if (steering.get(id) === steer) steering.delete(id);
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
 * Drives until there is nothing more to do, also over a pause that is taken back before the turn has ended, and over a
 * lease that was not renewed in time and that nobody else has claimed.
 */
async function driveUntilDone(
  { deps, id, options, feed }: Run,
  { place, lease, recorder }: Held,
  { prompts, sessions }: { prompts: PromptLibrary; sessions: SessionKeeper },
): Promise<LoopState> {
  const { cwd, claim } = place;
  const { state: before } = await deps.store.read(id);
  await requireKept(place.workspace, before);
  const leftOut = excludedPaths(before);
  const workspace = excluding(place.workspace, leftOut);
  const { choose, askKnownRed, askSetup, signal } = options;
  const { onAbort = "pause", waitForLimits = true } = options;
  const emit = options.onEvent ?? (() => undefined);
  for (let cutOff = "crash"; ; ) {
    const control = new Control(deps, { lease, claim, feed }, signal);
    const given = { id, deps, cwd, epoch: lease.scope.epoch, onAbort, emit };
    const ctx: RunContext = {
      ...{ ...given, choose, askKnownRed, askSetup },
      ...{ control, recorder, sessions, workspace, leftOut },
    };
    try {
      const state = await drive(ctx, prompts, { waitForLimits, cutOff });
      if (!isUnderWay(state) || control.interruption?.kind !== "status") return state;
    } catch (error) {
      if (!(error instanceof Interruption) || error.kind !== "lapse") throw error;
      cutOff = error.message;
      await sessions.close();
      await renewAfter(error, id, { lease, claim });
    } finally {
      await control.close();
    }
  }
}

/** Throws `fenced` when the lease cannot be relied on again, `workspace_busy` when another loop has the files by now. */
async function renewAfter(
  lapse: Interruption,
  id: string,
  { lease, claim }: { lease: HeldLease; claim: TreeClaim },
): Promise<void> {
  try {
    await lease.renew();
  } catch (cause) {
    throw new LoopError("fenced", `Loop ${id}: ${lapse.message}`, { cause });
  }
  await claim.renew().catch((cause: unknown) => {
    if (!isLoopError(cause, "fenced")) throw cause;
    const message = `Loop ${id}: ${cause.message} Go on when it has ended.`;
    throw new LoopError("workspace_busy", message, { cause });
  });
}

/** Also when the store is what failed: then the next run finds the loop as after a crash. */
async function pause({ deps }: Run, recorder: Recorder, reason: string): Promise<void> {
  const at = deps.clock.now().toISOString();
  const paused = (state: LoopState): LoopEvent[] | null =>
    state.status === "running" ? [{ type: "loop.paused", at, reason }] : null;
  await recorder.record(paused).catch(() => undefined);
}

function isUnderWay(state: LoopState): boolean {
  return state.status === "running" && !state.waiting;
}

async function readIfExists(deps: OrchestratorDeps, id: string): Promise<LoopState | undefined> {
  try {
    return (await deps.store.read(id)).state;
  } catch (error) {
    if (isLoopError(error, "loop_not_found")) return undefined;
    throw error;
  }
}

/** What makes a loop run that is to be run. */
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

async function steerTurn(sessions: SessionKeeper, id: string, text: string): Promise<void> {
  const session = sessions.current;
  if (!session) throw new LoopError("invalid_input", `No turn of loop ${id} runs now.`);
  await session.steer(text);
}
