import { retryLater } from "../app/http-error.ts";
import { hex } from "../app/request-conditions.ts";

/** How many may wait for their use. */
const MOST = 1_000;

/** Stand-ins for the token that somebody else carries, such as a URL: each is good for one use within `lifeMs`. */
export class OneTimeCodes<T> {
  readonly #lifeMs: number;
  /** What each stands for and when it ends, in the order in which they end. */
  readonly #codes = new Map<string, { value: T; end: number }>();

  constructor(lifeMs: number) {
    this.#lifeMs = lifeMs;
  }

  /** Throws `too_many_requests` while too many wait for their use. */
  issue(value: T): { code: string; expires_at: string } {
    const now = performance.now();
    this.#forgetOld(now);
    if (this.#codes.size >= MOST) {
      throw retryLater("Too many codes are unused.", Math.ceil(this.#lifeMs / 1000));
    }
    const code = hex(crypto.getRandomValues(new Uint8Array(32)));
    this.#codes.set(code, { value, end: now + this.#lifeMs });
    return { code, expires_at: new Date(Date.now() + this.#lifeMs).toISOString() };
  }

  /** What the code stands for, once; undefined for a code that is not good, or not any more. */
  redeem(code: string): T | undefined {
    this.#forgetOld(performance.now());
    const found = this.#codes.get(code);
    this.#codes.delete(code);
    return found?.value;
  }

  #forgetOld(now: number): void {
    for (const [code, { end }] of this.#codes) {
      if (end > now) return;
      this.#codes.delete(code);
    }
  }
}
