import { isLoopError, type LoopService, type LoopState, type RunOptions } from "@ccw-loop/core";
import { untilReleased } from "./given-back.ts";
import { answerMenu } from "./question.ts";
import type { StreamEvent } from "./told.ts";

/** The log is written a moment later than the journal: nothing more comes when it is quiet for so long. */
const QUIET_MS = 200;

type Standing = Pick<LoopState, "status"> & { waiting?: LoopState["waiting"] | null | undefined };

type What =
  | { told: IteratorResult<StreamEvent> }
  | { chosen: LoopState | null }
  | { aborted: true }
  | { quiet: true };

/** One run of a loop that somebody else drives. */
export class RemoteRun {
  readonly #service: LoopService;
  readonly #events: AsyncIterator<StreamEvent>;
  readonly #options: RunOptions;
  #next: Promise<What>;
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
    else this.#question ??= quietly(this.#ask(asking, choose));
    const race = [this.#next, this.#question, this.#aborted].filter((one) => one !== undefined);
    const what = await Promise.race(race);
    if ("told" in what) this.#next = this.#listen();
    if ("aborted" in what) this.#aborted = undefined;
    return what;
  }

  async #ask(state: LoopState, choose: NonNullable<RunOptions["choose"]>): Promise<What> {
    return { chosen: await answerMenu(this.#service, state, choose) };
  }

  #listen(): Promise<What> {
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
      const { promise: never } = Promise.withResolvers<What>();
      for (;;) {
        const { revision: at, index } = this.#seen;
        const behind = at < revision || (at === revision && index < facts - 1);
        const quiet = behind ? never : after(QUIET_MS);
        const what = await Promise.race([this.#next, quiet]);
        if (!("told" in what) || what.told.done) return;
        this.#next = this.#listen();
        this.#tell(what.told, state);
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

async function after(ms: number): Promise<What> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return { quiet: true };
}

/** The same promise; that nobody waits for it any more is no failure. */
function quietly(promise: Promise<What>): Promise<What> {
  promise.catch(() => undefined);
  return promise;
}
