import { LoopError } from "@ccw-loop/core";
import type { Context } from "hono";
import { HttpError } from "../app/http-error.ts";
import { digest } from "../app/request-conditions.ts";
import { type Rate, rateLimit } from "./rate.ts";

/** Answers to wrong tokens, per client. Who has the right one is never counted, so nobody can lock others out. */
const FAILURES: Rate = { perSecond: 1, burst: 20 };

/** Who may ask: holders of the token, and of a ticket that was given for it. */
export interface TokenAccess {
  /** Throws `unauthorized`, one answer for every kind of wrong, or `too_many_requests` once there were many. */
  requireCredentials(c: Context, path: string, client: string | undefined): Promise<void>;
  /** The answer of `POST /api/tickets`; undefined for other paths. */
  ticketAnswer(c: Context, path: string): Response | undefined;
}

export function tokenAccess(token: string): TokenAccess {
  const isToken = tokenRule(token);
  const tickets = createTickets();
  const tooManyFailures = rateLimit(FAILURES);
  const isKnown = async (c: Context, path: string) => {
    const query = new URL(c.req.url).searchParams;
    if (hasTokenInQuery(query)) return false;
    if (await isToken(c.req.header("authorization"))) return true;
    const ticket = query.get("ticket");
    return ticket !== null && takesTicket(c.req.method, path) && tickets.redeem(ticket);
  };
  return {
    async requireCredentials(c, path, client = "") {
      if (await isKnown(c, path)) return;
      const wait = tooManyFailures(client);
      if (wait > 0) throw retryLater("Too many requests without the right token.", wait);
      throw new HttpError(
        401,
        "This needs the server's token in the header `Authorization: Bearer …`; event streams take a ticket of `POST /api/tickets` as well.",
        { "www-authenticate": "Bearer" },
      );
    },
    ticketAnswer(c, path) {
      if (!isTicketEndpoint(path)) return undefined;
      if (c.req.method !== "POST") {
        throw new HttpError(405, "A ticket is asked for by POST.", {
          allow: "POST",
        });
      }
      const data = tickets.issue();
      if (data !== undefined) return c.json({ success: true, data });
      throw retryLater("Too many tickets are unused.", tickets.retryAfter);
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

export interface Ticket {
  ticket: string;
  /** RFC 3339 UTC. */
  expires_at: string;
}

/**
 * Stand-ins for the token where a client can send no header: `EventSource` and `WebSocket` of a browser. A ticket is
 * in a URL, which proxies and histories keep, so it is good for one use within half a minute.
 */
export interface Tickets {
  /** Undefined while too many wait for their use; `retryAfter` seconds later there is room. */
  issue(): Ticket | undefined;
  /** Whether the ticket is good; it is not any more after that. */
  redeem(ticket: string): boolean;
  readonly retryAfter: number;
}

export function createTickets(): Tickets {
  /** When each ends, in the order in which they end. */
  const ends = new Map<string, number>();
  const forgetOld = (now: number) => {
    for (const [ticket, end] of ends) {
      if (end > now) return;
      ends.delete(ticket);
    }
  };
  return {
    retryAfter: LIFE_MS / 1000,
    issue() {
      const now = performance.now();
      forgetOld(now);
      if (ends.size >= MOST) return undefined;
      const ticket = randomText();
      ends.set(ticket, now + LIFE_MS);
      return { ticket, expires_at: new Date(Date.now() + LIFE_MS).toISOString() };
    },
    redeem(ticket) {
      forgetOld(performance.now());
      return ends.delete(ticket);
    },
  };
}

/** 256 random bits as hexadecimal digits. */
function randomText(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Whether an `Authorization` header carries the token. Digests of equal length are compared, to their last digit, so
 * the time tells nothing about how much of a guess was right.
 */
export function tokenRule(token: string): (authorization: string | undefined) => Promise<boolean> {
  if (token === "") throw new LoopError("invalid_input", "The token must not be empty.");
  const expected = digest(token);
  return async (authorization) => {
    const [, given = ""] = /^bearer +([\x21-\x7e]+)$/i.exec(authorization ?? "") ?? [];
    return equal(await digest(given), await expected);
  };
}

function equal(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let at = 0; at < a.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return difference === 0;
}

/** Answered to everybody: that the server is there and works, and how it is talked to. Nothing about a loop. */
const PUBLIC = new Set(["/", "/api/health", "/api/ready", "/api/openapi.json", "/api/docs"]);

export function isPublic(method: string, path: string): boolean {
  return (method === "GET" || method === "HEAD") && PUBLIC.has(path);
}

const STREAMS = /^\/api\/(?:events|loops\/v2\/[^/]+\/events)$/;

/** Where a ticket stands in for the token. `/ws` of the Node server is the first of them in other clothes. */
export function takesTicket(method: string, path: string): boolean {
  return method === "GET" && STREAMS.test(path);
}

export function isTicketEndpoint(path: string): boolean {
  return path === "/api/tickets";
}

/** Names of query parameters under which other servers take tokens. */
const TOKEN_NAMES = ["token", "access_token", "bearer", "authorization", "api_key"];

/** A URL is kept by proxies, histories and logs: a token in it counts as given away. */
export function hasTokenInQuery(query: URLSearchParams): boolean {
  return TOKEN_NAMES.some((name) => query.has(name));
}
