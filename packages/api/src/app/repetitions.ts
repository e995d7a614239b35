import { LoopError } from "@ccw-loop/core";
import { Refusal } from "./answers.ts";
import { digest } from "./digest.ts";

const KEPT_MS = 24 * 60 * 60 * 1000;

/** What is remembered at most; `bytes` of all answers together. */
const BOUNDS = { requests: 10_000, bytes: 16 * 1024 * 1024 };

interface Kept {
  /** Digest of the request's body. */
  body: string;
  until: number;
  /** Of the answer; 0 until it is there. */
  bytes: number;
  answer: Promise<Response>;
  /** Clients that wait for it; aborted when they all have left before it was there. */
  waiting: number;
  over: AbortController;
}

/** A request that names itself by its Idempotency-Key. */
export interface Named {
  /** For the store, which knows it again after a restart. */
  opId: string;
  /** Digest of its body. */
  body: string;
}

/**
 * The name of a request that asks for `what`; undefined without a key. Throws `invalid_input` for a key that is too
 * long or no ASCII.
 */
export async function nameOf(
  request: Request,
  what: string,
  body: Uint8Array<ArrayBuffer>,
): Promise<Named | undefined> {
  const key = request.headers.get("idempotency-key");
  if (key === null) return undefined;
  if (!/^[\x20-\x7e]{1,200}$/.test(key)) {
    throw new LoopError(
      "invalid_input",
      "The Idempotency-Key has to be 1 to 200 printable ASCII characters.",
    );
  }
  return { opId: `http:${await digest(`${what}\n${key}`)}`, body: await digest(body) };
}

/** The requests of the last day that succeeded or are under way, by name; the oldest are forgotten first. */
export class Repetitions {
  readonly #bounds: typeof BOUNDS;
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  constructor(bounds: Partial<typeof BOUNDS> = {}) {
    this.#bounds = { ...BOUNDS, ...bounds };
  }

  /**
   * The answer of the first request with that name. `gone`: this client does not wait any more; `act` is told when
   * none does. Throws 422 for another body under the same name.
   */
  async once(
    named: Named,
    act: (signal: AbortSignal) => Promise<Response>,
    gone: AbortSignal,
  ): Promise<Response> {
    const { opId, body } = named;
    const before = this.#living(opId);
    if (before && before.body !== body) {
      throw new Refusal(
        422,
        "invalid_input",
        "This Idempotency-Key came with another body before. Use a new key for a new request.",
      );
    }
    if (before) {
      awaits(before, gone);
      try {
        return (await before.answer).clone();
      } catch (error) {
        if (gone.aborted || !before.over.signal.aborted) throw error;
        // It was given up with its clients, and this one was not among them.
        return this.once(named, act, gone);
      }
    }
    const over = new AbortController();
    const answer = act(over.signal);
    const kept = { body, until: Date.now() + KEPT_MS, bytes: 0, answer, waiting: 0, over };
    awaits(kept, gone);
    this.#keep(opId, kept);
    return this.#answered(opId, kept);
  }

  #living(opId: string): Kept | undefined {
    const kept = this.#kept.get(opId);
    return kept && kept.until > Date.now() ? kept : undefined;
  }

  /** What failed is forgotten: it may be sent again, corrected. */
  async #answered(opId: string, kept: Kept): Promise<Response> {
    try {
      const response = await kept.answer;
      kept.bytes = (await response.clone().arrayBuffer()).byteLength;
      if (this.#kept.get(opId) === kept) {
        this.#bytes += kept.bytes;
        this.#shrink();
      }
      return response.clone();
    } catch (error) {
      this.#forget(opId);
      throw error;
    }
  }

  #keep(opId: string, kept: Kept): void {
    this.#forget(opId);
    this.#kept.set(opId, kept);
    this.#shrink();
  }

  #forget(opId: string): void {
    this.#bytes -= this.#kept.get(opId)?.bytes ?? 0;
    this.#kept.delete(opId);
  }

  #shrink(): void {
    const { requests, bytes } = this.#bounds;
    for (const opId of this.#kept.keys()) {
      if (this.#kept.size <= requests && this.#bytes <= bytes) return;
      this.#forget(opId);
    }
  }
}

function awaits(kept: Kept, gone: AbortSignal): void {
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
