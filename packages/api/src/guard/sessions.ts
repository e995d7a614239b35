import { OneTimeCodes, type Role } from "./one-time-codes.ts";
import { type SealKey, sealKey } from "./seal-key.ts";

/** How long a ticket and a login link wait for their use, and a browser stays logged in. */
const TICKET_MS = 30_000;
const LOGIN_MS = 15 * 60_000;
const SESSION_MS = 7 * 24 * 60 * 60_000;

export interface Session {
  role: Role;
  /** Epoch milliseconds. */
  end: number;
}

/**
 * Logins of browsers, and tickets. A session is a text that only the holder of the token could have made, so it outlives a
 * restart, other servers with the token take it, and it ends with the token; what one remembers is who has logged out there.
 */
export class Sessions {
  readonly logins: OneTimeCodes;
  /** What opens one stream in place of the token. */
  readonly tickets: OneTimeCodes;
  readonly #key: SealKey;
  /** Sessions that were ended before their time, until that comes. */
  readonly #ended = new Map<string, number>();

  constructor(token: string) {
    this.#key = sealKey(token, "browser sessions");
    this.logins = new OneTimeCodes(token, "logins", LOGIN_MS);
    this.tickets = new OneTimeCodes(token, "tickets", TICKET_MS);
  }

  /** A new session as its cookie carries it, and what it is. */
  async open(role: Role): Promise<{ text: string; session: Session }> {
    const end = Date.now() + SESSION_MS;
    const said = `${role}.${end}.${base64Url(crypto.getRandomValues(new Uint8Array(16)))}`;
    const seal = await crypto.subtle.sign("HMAC", await this.#key, encoded(said));
    return { text: `${said}.${base64Url(new Uint8Array(seal))}`, session: { role, end } };
  }

  /** Undefined for a text that is no session of this token, has come to its end or was logged out. */
  async read(text: string): Promise<Session | undefined> {
    const [, said = "", role, until, seal = ""] = FORM.exec(text) ?? [];
    const end = Number(until);
    if ((role !== "operator" && role !== "reader") || !(end > Date.now())) return undefined;
    if (this.#ended.has(said)) return undefined;
    const bytes = bytesOf(seal);
    const isOurs = await crypto.subtle.verify("HMAC", await this.#key, bytes, encoded(said));
    return isOurs ? { role, end } : undefined;
  }

  /** Ends a session for good. */
  end(text: string): void {
    const now = Date.now();
    for (const [said, end] of this.#ended) if (end <= now) this.#ended.delete(said);
    const [, said, , until] = FORM.exec(text) ?? [];
    if (said !== undefined) this.#ended.set(said, Number(until));
  }
}

const FORM = /^((operator|reader)\.(\d{13,15})\.[\w-]{22})\.([\w-]{43})$/;

function encoded(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
