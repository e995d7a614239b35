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
    const { kept, answer } = this.#ask(opId, act);
    waitFor(kept, gone);
    try {
      return await answer;
    } catch (error) {
      if (gone.aborted || !kept.over.signal.aborted) throw error;
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
    const left = new AbortController();
    const leave = () => left.abort(gone.reason);
    gone.addEventListener("abort", leave, { once: true });
    if (gone.aborted) leave();
    const answer = this.once(opId, act, left.signal);
    try {
      const got = await within(ms, answer);
      if (got !== null) return got;
      const kept = this.#kept.get(opName(opId));
      if (kept) kept.toldToRetry = true;
      void within(this.#bounds.graceMs, answer).then(leave, leave);
      return null;
    } finally {
      gone.removeEventListener("abort", leave);
    }
  }

  #ask(opId: string, act: Act): { kept: CachedAnswer; answer: Promise<Response> } {
    const name = opName(opId);
    const before = this.#kept.get(name);
    if (before && before.until > Date.now()) {
      requireSameOp(before.opId, opId);
      return { kept: before, answer: this.#repeated(name, before) };
    }
    const over = new AbortController();
    const until = Date.now() + KEPT_MS;
    const answer = act(over.signal);
    const kept = { opId, until, bytes: 0, answer, waiting: 0, over, toldToRetry: false };
    this.#forget(name);
    this.#kept.set(name, kept);
    this.#shrink();
    return { kept, answer: this.#answered(name, kept) };
  }

  async #repeated(name: string, kept: CachedAnswer): Promise<Response> {
    try {
      return (await kept.answer).clone();
    } catch (error) {
      this.#forget(name, kept);
      throw error;
    }
  }

  /** What failed is forgotten: it may be sent again, corrected. Who was put off comes back for it first. */
  async #answered(name: string, kept: CachedAnswer): Promise<Response> {
    try {
      const response = await kept.answer;
      kept.bytes = (await response.clone().arrayBuffer()).byteLength;
      if (this.#kept.get(name) === kept) {
        this.#bytes += kept.bytes;
        this.#shrink();
      }
      return response.clone();
    } catch (error) {
      if (kept.toldToRetry) kept.until = Date.now() + this.#bounds.graceMs;
      else this.#forget(name, kept);
      throw error;
    }
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
