import { opName, requireSameOp } from "@ccw-loop/core";
import { within } from "./web-clock.ts";

const KEPT_MS = 24 * 60 * 60 * 1000;

/** What is remembered at most, `bytes` of all answers together; who was put off has `graceMs` to come back. */
const BOUNDS = { requests: 10_000, bytes: 16 * 1024 * 1024, graceMs: 10_000 };

interface CachedAnswer {
  opId: string;
  until: number;
  /** Of the answer; 0 until it is there. */
  bytes: number;
  answer: Promise<Response>;
  /** Clients that wait for it; aborted when they all have left before it was there. */
  waiting: number;
  over: AbortController;
  /** A client was told to ask again. */
  toldToRetry: boolean;
}

type Act = (signal: AbortSignal) => Promise<Response>;

/** The requests of the last day that succeeded or are under way, by name; the oldest are forgotten first. */
export class IdempotencyCache {
  readonly #bounds: typeof BOUNDS;
  readonly #kept = new Map<string, CachedAnswer>();
  #bytes = 0;

  constructor(bounds: Partial<typeof BOUNDS> = {}) {
    this.#bounds = { ...BOUNDS, ...bounds };
  }

  /**
   * The answer of the first request with that name. `gone`: this client does not wait any more; `act` is told when
   * none does. Throws `op_reused` for another body under the same name.
   */
  async once(opId: string, act: Act, gone: AbortSignal): Promise<Response> {
    const kept = this.#ask(opId, act);
    waitFor(kept, gone);
    try {
      return (await kept.answer).clone();
    } catch (error) {
      if (gone.aborted) throw error;
      // Who is told of a failure may send it again, corrected.
      this.#forget(opName(opId), kept);
      if (!kept.over.signal.aborted) throw error;
      // It was given up with its clients, and this one was not among them.
      return this.once(opId, act, gone);
    }
  }

  /** The same, or null when it is not there within `ms`: for a while this client counts as one that waits, then. */
  async onceWithin(
    ms: number,
    opId: string,
    act: Act,
    gone: AbortSignal,
  ): Promise<Response | null> {
    const putOff = new AbortController();
    const got = await within(ms, this.once(opId, act, AbortSignal.any([gone, putOff.signal])));
    if (got !== null) return got;
    const kept = this.#kept.get(opName(opId));
    if (kept) {
      kept.toldToRetry = true;
      waitFor(kept, AbortSignal.timeout(this.#bounds.graceMs));
    }
    putOff.abort();
    return null;
  }

  #ask(opId: string, act: Act): CachedAnswer {
    const name = opName(opId);
    const before = this.#kept.get(name);
    if (before && before.until > Date.now()) {
      requireSameOp(before.opId, opId);
      return before;
    }
    const over = new AbortController();
    const kept: CachedAnswer = {
      opId,
      until: Date.now() + KEPT_MS,
      bytes: 0,
      answer: act(over.signal).then(
        (response) => this.#succeeded(name, kept, response),
        (error: unknown) => this.#failed(name, kept, error),
      ),
      waiting: 0,
      over,
      toldToRetry: false,
    };
    this.#forget(name);
    this.#kept.set(name, kept);
    this.#shrink();
    return kept;
  }

  async #succeeded(name: string, kept: CachedAnswer, response: Response): Promise<Response> {
    kept.bytes = (await response.clone().arrayBuffer()).byteLength;
    if (this.#kept.get(name) === kept) {
      this.#bytes += kept.bytes;
      this.#shrink();
    }
    return response;
  }

  /** Who was put off comes back for a failure; without one it is forgotten, as what may be sent again. */
  #failed(name: string, kept: CachedAnswer, error: unknown): never {
    if (kept.toldToRetry) kept.until = Date.now() + this.#bounds.graceMs;
    else this.#forget(name, kept);
    throw error;
  }

  #forget(name: string, only = this.#kept.get(name)): void {
    if (only === undefined || this.#kept.get(name) !== only) return;
    this.#bytes -= only.bytes;
    this.#kept.delete(name);
  }

  #shrink(): void {
    const { requests, bytes } = this.#bounds;
    for (const name of this.#kept.keys()) {
      if (this.#kept.size <= requests && this.#bytes <= bytes) return;
      this.#forget(name);
    }
  }
}

function waitFor(kept: CachedAnswer, gone: AbortSignal): void {
  kept.waiting += 1;
  const leave = () => {
    kept.waiting -= 1;
    if (kept.waiting === 0) kept.over.abort(gone.reason);
  };
  gone.addEventListener("abort", leave, { once: true });
  const stay = () => gone.removeEventListener("abort", leave);
  kept.answer.then(stay, stay);
  if (gone.aborted) leave();
}
