import {
  commandOf,
  isLoopError,
  type LiveEvent,
  LoopError,
  type LoopService,
  type LoopState,
  menuOf,
  orOn,
  type RunOptions,
  requireOpen,
} from "@ccw-loop/core";
import { webClock } from "../app/web-clock.ts";
import { HOST } from "../contract/host.ts";
import type { HttpTransport } from "./http-transport.ts";
import { openLoopStream } from "./streams.ts";

export interface Remote {
  exchange: HttpTransport;
  service: LoopService;
}

/**
 * See `LoopService.run`. The server drives, and this follows to where a local run would end; a loop that is driven
 * there already is followed, too.
 */
export async function runRemotely(
  { exchange, service }: Remote,
  id: string,
  options: RunOptions,
): Promise<LoopState> {
  const before = await service.get(id);
  requireOpen(before);
  await requireDriver(exchange);
  const over = new AbortController();
  const after = before.revision ?? 0;
  try {
    // Listens before it starts anything, so that nothing happens unheard.
    const events = await openLoopStream(exchange, id, { after, signal: over.signal });
    await start(service, before);
    return await follow(service, before, events, options);
  } finally {
    over.abort();
  }
}

async function requireDriver(exchange: HttpTransport): Promise<void> {
  const { data } = await exchange.json(HOST.ready, {});
  if (data.drives !== false) return;
  throw new LoopError(
    "agent_unavailable",
    `Nobody drives loops at ${exchange.address}. Start its server without --no-drive, ` +
      "or start the loop and have it driven there: ccw-loop supervise",
    { details: { drives: false } },
  );
}

/** Has the loop run, unless somebody else started it first. */
async function start(service: LoopService, { loop_id: id, status }: LoopState): Promise<void> {
  if (status === "running") return;
  try {
    await service.send(id, { type: status === "created" ? "start" : "resume" });
  } catch (error) {
    if (!isLoopError(error, "invalid_transition")) throw error;
    const newest = await service.get(id);
    requireOpen(newest);
    if (newest.status !== "running") throw error;
  }
}

/** The log is written a moment later than the journal: nothing more comes when it is quiet for so long. */
const QUIET_MS = 200;

/**
 * Follows the run of a loop that somebody else drives, whose events come from behind the state `before` on. Resolves
 * with the loop when it has ended, is paused, or waits for what nobody here can give.
 */
async function follow(
  service: LoopService,
  before: LoopState,
  events: AsyncIterable<LiveEvent>,
  options: RunOptions,
): Promise<LoopState> {
  const { loop_id: id, revision: after = 0 } = before;
  const { choose, signal, waitForLimits = true } = options;
  /** What was passed on so far; `facts`: of the commit with this revision. */
  const passed = { events: 0, revision: after, facts: Number.POSITIVE_INFINITY };
  let changed = Promise.withResolvers<void>();
  const passing = quietly(passOn());

  async function passOn(): Promise<void> {
    for await (const live of events) {
      options.onEvent?.(live);
      passed.events += 1;
      if (live.kind !== "recorded") continue;
      const { revision } = live.recorded;
      passed.facts = revision === passed.revision ? passed.facts + 1 : 1;
      passed.revision = revision;
      changed.resolve();
    }
  }

  function standOf({ status, waiting }: LoopState): "goes on" | "rests" | "asks" {
    if (status !== "running") return "rests";
    if (!waiting) return "goes on";
    if (waiting.menu && choose) return "asks";
    return waiting.kind === "usage_limit" && waitForLimits ? "goes on" : "rests";
  }

  async function pause(): Promise<LoopState> {
    const reason = String(signal?.reason ?? "interrupted");
    const paused = service.send(id, { type: "pause", reason });
    return (await orOn(paused, ["invalid_transition"], null)) ?? service.get(id);
  }

  /** Waits until what is still under way of a loop that rests was passed on. */
  async function drain({ revision = 0 }: LoopState): Promise<void> {
    const { length } = await Array.fromAsync(service.events(id, revision - 1));
    const isBehind = () =>
      passed.revision < revision || (passed.revision === revision && passed.facts < length);
    for (let seen = -1; isBehind() || passed.events > seen; ) {
      seen = passed.events;
      await Promise.race([webClock.sleep(QUIET_MS), passing]);
    }
  }

  const onAbort = () => changed.resolve();
  signal?.addEventListener("abort", onAbort);
  let wasPaused = false;
  let question: Promise<"answered"> | undefined;
  try {
    for (;;) {
      // Before the look: whatever changes behind it is looked at, too.
      changed = Promise.withResolvers();
      let state = await service.get(id);
      if (signal?.aborted && !wasPaused) {
        if (options.onAbort === "release") return state;
        state = await pause();
        wasPaused = true;
      }
      const stand = standOf(state);
      if (stand === "rests") {
        state = await untilReleased(service, state);
        if (standOf(state) !== "rests") continue;
        // It may have been deleted as soon as it had ended.
        await orOn(drain(state), ["loop_not_found"], undefined);
        return state;
      }
      if (stand !== "asks" || !choose || wasPaused) question = undefined;
      else question ??= quietly(answerMenu(service, state, choose));
      const first = await Promise.race([changed.promise, passing, question ?? changed.promise]);
      if (first === "answered") question = undefined;
    }
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
}

/** The same promise; that nobody waits for it any more is no failure. */
function quietly<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

/** Has somebody choose from the menu until a choice was taken, or the question became pointless meanwhile. */
async function answerMenu(
  service: Pick<LoopService, "get" | "send">,
  asked: LoopState,
  choose: NonNullable<RunOptions["choose"]>,
): Promise<"answered"> {
  const { loop_id: id } = asked;
  let state = asked;
  let notice: string | undefined;
  for (;;) {
    const choice = await choose(menuOf(state, notice), state);
    notice = undefined;
    state = await service.get(id);
    if (state.status !== "running" || !state.waiting?.menu) return "answered";
    const command = commandOf(choice);
    if (command === null) continue;
    try {
      await service.send(id, command, { revision: state.revision });
      return "answered";
    } catch (error) {
      if (isLoopError(error, "invalid_transition", "revision_conflict")) return "answered";
      if (!isLoopError(error, "invalid_input")) throw error;
      notice = error.message;
    }
  }
}

/** The pauses between looks: whoever drives a loop gives it back within moments of its end. */
const LOOKS_MS = [10, 20, 50, 100, 200, 500, 1000, 2000, 4000];

/** The newest state once nobody drives the loop any more, or once it runs again; the given one when it is gone. */
export async function untilReleased(
  service: Pick<LoopService, "get" | "why">,
  state: LoopState,
): Promise<LoopState> {
  const { loop_id: id } = state;
  const released = async () => {
    for (const ms of LOOKS_MS) {
      const { driven_by, action } = await service.why(id);
      if (driven_by === null || action !== null) break;
      await webClock.sleep(ms);
    }
    return service.get(id);
  };
  return orOn(released(), ["loop_not_found"], state);
}
