import { hex } from "../app/request-conditions.ts";
import { type SealKey, sealKey } from "./seal-key.ts";

/** What a code or a session lets its holder do: everything that the token may, or look at things. */
export type Role = "operator" | "reader";

/** A code: role, end and chance, and then the seal of these. */
const BYTES = 32;
const SAID = 16;
const ROLES: readonly Role[] = ["operator", "reader"];

/**
 * Stand-ins for the token that somebody else carries, such as a URL: each is good for one use within `lifeMs`. Only a holder of the
 * token could have made one, so every server that has it takes those of the others; each knows by itself which were used there.
 */
export class OneTimeCodes {
  readonly #key: SealKey;
  readonly #lifeMs: number;
  /** Codes that were used, with when they end. */
  readonly #used = new Map<string, number>();

  constructor(token: string, purpose: string, lifeMs: number) {
    this.#key = sealKey(token, purpose);
    this.#lifeMs = lifeMs;
  }

  async issue(role: Role): Promise<{ code: string; expires_at: string }> {
    const end = Date.now() + this.#lifeMs;
    const said = crypto.getRandomValues(new Uint8Array(SAID));
    const view = new DataView(said.buffer);
    view.setUint8(0, ROLES.indexOf(role));
    view.setBigUint64(1, BigInt(end));
    const code = hex(said) + hex(await this.#sealOf(said));
    return { code, expires_at: new Date(end).toISOString() };
  }

  /** What the code stands for, once; undefined for one that is not good, or not any more. */
  async redeem(code: string): Promise<Role | undefined> {
    const bytes = bytesIn(code);
    if (!bytes) return undefined;
    const said = bytes.slice(0, SAID);
    const seal = await this.#sealOf(said);
    const view = new DataView(said.buffer);
    const end = Number(view.getBigUint64(1));
    const now = Date.now();
    for (const [one, until] of this.#used) if (until <= now) this.#used.delete(one);
    const isOurs = seal.reduce((same, byte, at) => same && byte === bytes[SAID + at], true);
    const name = hex(said);
    if (!isOurs || end <= now || this.#used.has(name)) return undefined;
    this.#used.set(name, end);
    return ROLES[view.getUint8(0)];
  }

  async #sealOf(said: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
    const whole = await crypto.subtle.sign("HMAC", await this.#key, said);
    return new Uint8Array(whole).slice(0, BYTES - SAID);
  }
}

function bytesIn(code: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[0-9a-f]{64}$/i.test(code)) return undefined;
  return Uint8Array.from(code.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
