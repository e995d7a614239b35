import {
  commandOf,
  isLoopError,
  LoopError,
  type LoopService,
  type LoopState,
  menuOf,
  orOn,
  type RunOptions,
  requireOpen,
} from "@ccw-loop/core";
import { webClock, within } from "../app/web-clock.ts";
import { HOST } from "../contract/host.ts";
import type { HttpTransport } from "./http-transport.ts";
import { openLoopStream, type StreamEvent } from "./streams.ts";

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
    const told = await openLoopStream(exchange, id, { after, signal: over.signal });
    const state = await opened(service, before);
    return await follow(service, told[Symbol.asyncIterator](), state, options, over.signal);
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

/** The loop as it runs. Somebody else may have started it first. */
async function opened(
  service: LoopService,
  { loop_id: id, status }: LoopState,
): Promise<LoopState> {
  if (status === "running") return service.get(id);
  try {
    return await service.send(id, { type: status === "created" ? "start" : "resume" });
  } catch (error) {
    if (!isLoopError(error, "invalid_transition")) throw error;
    const newest = await service.get(id);
    requireOpen(newest);
    if (newest.status !== "running") throw error;
    return newest;
  }
}

/** The log is written a moment later than the journal: nothing more comes when it is quiet for so long. */
const QUIET_MS = 200;

type Standing = Pick<LoopState, "status"> & { waiting?: LoopState["waiting"] | null | undefined };

type Told = { told: IteratorResult<StreamEvent> };
type What = Told | { chosen: LoopState | null } | { aborted: true };

/**
 * Follows the run of a loop that somebody else drives. Resolves with the loop when it has ended, is paused, or waits for
 * what nobody here can give. `over` aborts when nobody is interested any more.
 */
async function follow(
  service: LoopService,
  events: AsyncIterator<StreamEvent>,
  begin: LoopState,
  options: RunOptions,
  over: AbortSignal,
): Promise<LoopState> {
  const { loop_id: id } = begin;
  const { choose, signal, waitForLimits = true } = options;
  let next = listen();
  let question: Promise<What> | undefined;
  let aborted = signal && whenAborted(signal, over);
  /** The last fact that was told. */
  let seen = { revision: 0, index: 0 };

  function listen(): Promise<Told> {
    return quietly(events.next().then((told) => ({ told })));
  }

  function standOf({ status, waiting }: Standing): "goes on" | "rests" | "asks" {
    if (status !== "running") return "rests";
    if (!waiting) return "goes on";
    if (waiting.menu && choose) return "asks";
    return waiting.kind === "usage_limit" && waitForLimits ? "goes on" : "rests";
  }

  /** Whatever happens first. `asking`: the loop waits for a choice. */
  async function first(asking: LoopState | undefined): Promise<What> {
    if (!asking || !choose || signal?.aborted) question = undefined;
    else question ??= quietly(answerMenu(service, asking, choose).then((chosen) => ({ chosen })));
    const race = [next, question, aborted].filter((one) => one !== undefined);
    const what = await Promise.race(race);
    if ("told" in what) next = listen();
    if ("aborted" in what) aborted = undefined;
    return what;
  }

  /** Passes an event on. True when the loop may stand otherwise than `known`. */
  function tell({ done, value }: IteratorResult<StreamEvent>, known: LoopState): boolean {
    if (done) return true;
    options.onEvent?.(value.live);
    if (!value.fact) return false;
    const { revision, index, state } = value.fact;
    seen = { revision, index };
    if (revision <= (known.revision ?? 0)) return false;
    return !state || standOf(state) !== "goes on" || standOf(known) !== "goes on";
  }

  async function pause(): Promise<LoopState> {
    const reason = String(signal?.reason ?? "interrupted");
    const paused = service.send(id, { type: "pause", reason });
    return (await orOn(paused, ["invalid_transition"], null)) ?? service.get(id);
  }

  /** Passes on what is still under way of a loop that rests. */
  async function drain(state: LoopState): Promise<void> {
    const { revision = 0 } = state;
    let facts = 0;
    for await (const _ of service.events(id, revision - 1)) facts += 1;
    for (;;) {
      const { revision: at, index } = seen;
      const behind = at < revision || (at === revision && index < facts - 1);
      const got = await (behind ? next : within(QUIET_MS, next));
      if (got === null || got.told.done) return;
      next = listen();
      tell(got.told, state);
    }
  }

  for (let state = begin; ; ) {
    const stand = standOf(state);
    if (stand === "rests") {
      state = await untilReleased(service, state);
      if (standOf(state) !== "rests") continue;
      // It may have been deleted as soon as it had ended.
      await orOn(drain(state), ["loop_not_found"], undefined);
      return state;
    }
    const what = await first(stand === "asks" ? state : undefined);
    if ("aborted" in what) {
      if (options.onAbort === "release") return service.get(id);
      state = await pause();
    } else if ("chosen" in what) {
      question = undefined;
      state = what.chosen ?? (await service.get(id));
    } else if (tell(what.told, state)) state = await service.get(id);
  }
}

async function whenAborted(signal: AbortSignal, over: AbortSignal): Promise<What> {
  if (!signal.aborted) {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    signal.addEventListener("abort", resolve, { once: true, signal: over });
    await promise;
  }
  return { aborted: true };
}

/** The same promise; that nobody waits for it any more is no failure. */
function quietly<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

/**
 * Has somebody choose from the menu until a choice was taken. Null when the question became pointless meanwhile: the
 * loop waits no more, or is gone.
 */
async function answerMenu(
  service: Pick<LoopService, "get" | "send">,
  asked: LoopState,
  choose: NonNullable<RunOptions["choose"]>,
): Promise<LoopState | null> {
  const { loop_id: id } = asked;
  let state = asked;
  let notice: string | undefined;
  for (;;) {
    const choice = await choose(menuOf(state, notice), state);
    notice = undefined;
    state = await service.get(id);
    if (state.status !== "running" || !state.waiting?.menu) return null;
    const command = commandOf(choice);
    if (command === null) continue;
    try {
      return await service.send(id, command, { revision: state.revision });
    } catch (error) {
      if (isLoopError(error, "invalid_transition", "revision_conflict")) return null;
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
