import {
  commandOf,
  isLoopError,
  LoopError,
  type LoopService,
  type LoopState,
  menuOf,
  type RunOptions,
  requireOpen,
} from "@ccw-loop/core";
import { webClock, within } from "../app/web-clock.ts";
import { HOST } from "../contract/host.ts";
import type { HttpTransport } from "./http-transport.ts";
import type { Reconnect } from "./options.ts";
import { openLoopStream, type StreamEvent } from "./streams.ts";

export interface Remote {
  exchange: HttpTransport;
  reconnect: Reconnect;
  service: LoopService;
}

/**
 * See `LoopService.run`. The server drives, and this follows to where a local run would end; a loop that is driven
 * there already is followed, too.
 */
export async function runRemotely(
  { exchange, reconnect, service }: Remote,
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
    const told = await openLoopStream({ exchange, reconnect, id, after, signal: over.signal });
    const state = await opened(service, before);
    return await new RemoteRun(service, told, options, over.signal).from(state);
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

/** One run of a loop that somebody else drives. */
class RemoteRun {
  readonly #service: LoopService;
  readonly #events: AsyncIterator<StreamEvent>;
  readonly #options: RunOptions;
  #next: Promise<Told>;
  #question: Promise<What> | undefined;
  #aborted: Promise<What> | undefined;
  /** The last fact that was told. */
  #seen = { revision: 0, index: 0 };

  /** `over` aborts when nobody is interested any more. */
  constructor(
    service: LoopService,
    told: AsyncIterable<StreamEvent>,
    options: RunOptions,
    over: AbortSignal,
  ) {
    this.#service = service;
    this.#events = told[Symbol.asyncIterator]();
    this.#options = options;
    this.#next = this.#listen();
    this.#aborted = options.signal && whenAborted(options.signal, over);
  }

  /** Resolves with the loop when it has ended, is paused, or waits for what nobody here can give. */
  async from(begin: LoopState): Promise<LoopState> {
    let state = begin;
    for (;;) {
      const stand = this.#standOf(state);
      if (stand === "rests") {
        state = await untilReleased(this.#service, state);
        if (this.#standOf(state) !== "rests") continue;
        await this.#drained(state);
        return state;
      }
      const what = await this.#first(stand === "asks" ? state : undefined);
      if ("aborted" in what) {
        if (this.#options.onAbort === "release") return this.#service.get(state.loop_id);
        state = await this.#paused(state);
      } else if ("chosen" in what) {
        this.#question = undefined;
        state = what.chosen ?? (await this.#service.get(state.loop_id));
      } else if ("told" in what && this.#tell(what.told, state)) {
        state = await this.#service.get(state.loop_id);
      }
    }
  }

  #standOf({ status, waiting }: Standing): "goes on" | "rests" | "asks" {
    if (status !== "running") return "rests";
    if (!waiting) return "goes on";
    const { choose, waitForLimits = true } = this.#options;
    if (waiting.menu && choose) return "asks";
    return waiting.kind === "usage_limit" && waitForLimits ? "goes on" : "rests";
  }

  /** Whatever happens first. `asking`: the loop waits for a choice. */
  async #first(asking: LoopState | undefined): Promise<What> {
    const { choose, signal } = this.#options;
    if (!asking || !choose || signal?.aborted) this.#question = undefined;
    else {
      this.#question ??= quietly(
        answerMenu(this.#service, asking, choose).then((chosen) => ({ chosen })),
      );
    }
    const race = [this.#next, this.#question, this.#aborted].filter((one) => one !== undefined);
    const what = await Promise.race(race);
    if ("told" in what) this.#next = this.#listen();
    if ("aborted" in what) this.#aborted = undefined;
    return what;
  }

  #listen(): Promise<Told> {
    return quietly(this.#events.next().then((told) => ({ told })));
  }

  /** Passes an event on. True when the loop may stand otherwise than `known`. */
  #tell({ done, value }: IteratorResult<StreamEvent>, known: LoopState): boolean {
    if (done) return true;
    this.#options.onEvent?.(value.live);
    if (!value.fact) return false;
    const { revision, index, state } = value.fact;
    this.#seen = { revision, index };
    if (revision <= (known.revision ?? 0)) return false;
    return !state || this.#standOf(state) !== "goes on" || this.#standOf(known) !== "goes on";
  }

  async #paused({ loop_id: id }: LoopState): Promise<LoopState> {
    const reason = String(this.#options.signal?.reason ?? "interrupted");
    try {
      return await this.#service.send(id, { type: "pause", reason });
    } catch (error) {
      if (!isLoopError(error, "invalid_transition")) throw error;
      return this.#service.get(id);
    }
  }

  /** Passes on what is still under way of a loop that rests. */
  async #drained(state: LoopState): Promise<void> {
    const { loop_id: id, revision = 0 } = state;
    try {
      let facts = 0;
      for await (const _ of this.#service.events(id, revision - 1)) facts += 1;
      for (;;) {
        const { revision: at, index } = this.#seen;
        const behind = at < revision || (at === revision && index < facts - 1);
        const got = await (behind ? this.#next : within(QUIET_MS, this.#next));
        if (got === null || got.told.done) return;
        this.#next = this.#listen();
        this.#tell(got.told, state);
      }
    } catch (error) {
      // It was deleted as soon as it had ended.
      if (!isLoopError(error, "loop_not_found")) throw error;
    }
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
  try {
    for (const ms of LOOKS_MS) {
      const { driven_by, action } = await service.why(state.loop_id);
      if (driven_by === null || action !== null) break;
      await webClock.sleep(ms);
    }
    return await service.get(state.loop_id);
  } catch (error) {
    if (isLoopError(error, "loop_not_found")) return state;
    throw error;
  }
}
