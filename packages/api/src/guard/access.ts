import type { Context } from "hono";
import { HttpError } from "../app/http-error.ts";
import { badOption } from "../app/options.ts";
import { hex } from "../app/request-conditions.ts";
import { type Rate, rateLimit } from "./rate.ts";

/** Answers to wrong tokens, per client. Who has the right one is never counted, so nobody can lock others out. */
const FAILURES: Rate = { perSecond: 1, burst: 20 };

/** Who may ask: holders of the token, and of a ticket that was given for it. */
export function tokenAccess(token: string) {
  const isToken = tokenRule(token);
  const tickets = new Tickets();
  const tooManyFailures = rateLimit(FAILURES);
  const isKnown = (c: Context, path: string) => {
    const query = new URL(c.req.url).searchParams;
    // A URL is kept by proxies, histories and logs: a token in it counts as given away.
    if (TOKEN_NAMES.some((name) => query.has(name))) return false;
    if (isToken(c.req.header("authorization"))) return true;
    const ticket = query.get("ticket");
    // `/ws` of the Node server is the first of them in other clothes.
    return (
      ticket !== null && c.req.method === "GET" && STREAMS.test(path) && tickets.redeem(ticket)
    );
  };
  return {
    /** Throws `unauthorized`, one answer for every kind of wrong, or `too_many_requests` once there were many. */
    requireCredentials(c: Context, path: string, client = ""): void {
      if (isKnown(c, path)) return;
      const wait = tooManyFailures(client);
      if (wait > 0) throw retryLater("Too many requests without the right token.", wait);
      throw new HttpError(
        401,
        "This needs the server's token in the header `Authorization: Bearer …`; event streams take a ticket of `POST /api/tickets` as well.",
        { "www-authenticate": "Bearer" },
      );
    },
    /** The answer of `POST /api/tickets`; undefined for other paths. */
    ticketAnswer(c: Context, path: string): Response | undefined {
      if (path !== "/api/tickets") return undefined;
      if (c.req.method !== "POST") {
        throw new HttpError(405, "A ticket is asked for by POST.", { allow: "POST" });
      }
      return c.json({ success: true, data: tickets.issue() });
    },
  };
}

export function retryLater(sentence: string, seconds: number): HttpError {
  return new HttpError(429, `${sentence} Try again in ${seconds} s.`, {
    "retry-after": `${seconds}`,
  });
}

/** How long a ticket is good, and how many may wait for their use. */
const LIFE_MS = 30_000;
const MOST = 1_000;

/**
 * Stand-ins for the token where a client can send no header: `EventSource` and `WebSocket` of a browser. A ticket is
 * in a URL, which proxies and histories keep, so it is good for one use within half a minute.
 */
class Tickets {
  /** When each ends, in the order in which they end. */
  readonly #ends = new Map<string, number>();

  /** Throws `too_many_requests` while too many wait for their use. */
  issue(): { ticket: string; expires_at: string } {
    const now = performance.now();
    this.#forgetOld(now);
    if (this.#ends.size >= MOST) throw retryLater("Too many tickets are unused.", LIFE_MS / 1000);
    const ticket = hex(crypto.getRandomValues(new Uint8Array(32)));
    this.#ends.set(ticket, now + LIFE_MS);
    return { ticket, expires_at: new Date(Date.now() + LIFE_MS).toISOString() };
  }

  /** Whether the ticket is good; it is not any more after that. */
  redeem(ticket: string): boolean {
    this.#forgetOld(performance.now());
    return this.#ends.delete(ticket);
  }

  #forgetOld(now: number): void {
    for (const [ticket, end] of this.#ends) {
      if (end > now) return;
      this.#ends.delete(ticket);
    }
  }
}

/** Whether an `Authorization` header carries the token. */
function tokenRule(token: string): (authorization: string | undefined) => boolean {
  if (token === "") throw badOption("The token must not be empty.");
  return (authorization) => {
    const [, given = ""] = /^bearer +([\x21-\x7e]+)$/i.exec(authorization ?? "") ?? [];
    return isSame(given, token);
  };
}

/** Looks at every character of what was given, so the time tells nothing about how much of a guess was right. */
function isSame(given: string, token: string): boolean {
  let difference = given.length ^ token.length;
  for (let at = 0; at < given.length; at++) {
    difference |= given.charCodeAt(at) ^ token.charCodeAt(at % token.length);
  }
  return difference === 0;
}

/** Answered to everybody: that the server is there and works, and how it is talked to. Nothing about a loop. */
const PUBLIC = new Set(["/", "/api/health", "/api/ready", "/api/openapi.json", "/api/docs"]);

export function isPublic(method: string, path: string): boolean {
  return (method === "GET" || method === "HEAD") && PUBLIC.has(path);
}

/** Where a ticket stands in for the token. */
const STREAMS = /^\/api\/(?:events|loops\/v2\/[^/]+\/events)$/;

/** Names of query parameters under which other servers take tokens. */
const TOKEN_NAMES = ["token", "access_token", "bearer", "authorization", "api_key"];
