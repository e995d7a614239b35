import type { Context } from "hono";
import { getCookie } from "hono/cookie";
import { serialize } from "hono/utils/cookie";
import { HttpError, retryLater } from "../app/http-error.ts";
import { badOption, mountOf } from "../app/options.ts";
import type { Client, TokenAccess } from "./clients.ts";
import { parseHost } from "./hosts.ts";
import type { Role } from "./one-time-codes.ts";
import { type Rate, rateLimit } from "./rate.ts";
import { type Session, Sessions } from "./sessions.ts";

/** Answers to wrong tokens, per client. Who has the right one is never counted, so nobody can lock others out. */
const FAILURES: Rate = { perSecond: 1, burst: 20 };

/** Who asks; `session` for a browser that is logged in, `client` for a token of its own. */
export interface Asker {
  role: Role;
  session?: Session;
  client?: Client;
}

/** Where a request comes from, as the guard has found out. */
export interface Source {
  client?: string | undefined;
  /** Its page was sent by this server: the request names this origin, and no site in between. */
  fromOwnPage: boolean;
}

/**
 * Who may ask: holders of the token, of a ticket or a login that was given for it, browsers that are logged in, and clients
 * with tokens of their own.
 */
export function tokenAccess(
  { token, sessions = new Sessions(token), clients = async () => undefined }: TokenAccess,
  project: string | undefined,
) {
  const isToken = tokenRule(token);
  const tooManyFailures = rateLimit(FAILURES);

  async function askerOf(c: Context, path: string, from: Source): Promise<Asker | undefined> {
    const query = new URL(c.req.url).searchParams;
    // A URL is kept by proxies, histories and logs: a token in it counts as given away.
    if (TOKEN_NAMES.some((name) => query.has(name))) return undefined;
    const authorization = c.req.header("authorization");
    const [, given] = /^bearer +([\x21-\x7e]+)$/i.exec(authorization ?? "") ?? [];
    if (given !== undefined) {
      if (isToken(given)) return { role: "operator" };
      const client = await clients(given);
      return client && { role: client.role, client };
    }
    const [, login] = /^login +([0-9a-f]{64})$/i.exec(authorization ?? "") ?? [];
    if (login !== undefined) {
      const isLogin = c.req.method === "POST" && path === SESSION;
      const role = isLogin ? await sessions.logins.redeem(login) : undefined;
      return role && { role };
    }
    const ticket = query.get("ticket");
    if (ticket !== null) {
      // `/ws` of the Node server is the first of them in other clothes.
      const isStream = c.req.method === "GET" && STREAMS.test(path);
      const role = isStream ? await sessions.tickets.redeem(ticket) : undefined;
      return role && { role };
    }
    const session = from.fromOwnPage ? await sessions.read(cookieOf(c)) : undefined;
    return session && { role: session.role, session };
  }

  async function openSession(c: Context, role: Role): Promise<Response> {
    const { text, session } = await sessions.open(role);
    const maxAge = Math.floor((session.end - Date.now()) / 1000);
    c.header("Set-Cookie", cookie(c, text, maxAge));
    return c.json({ success: true, data: described(session) });
  }

  /** Logins and tickets say nothing of who asked for them: they would outlive the client's token, and reach further. */
  function requireAllowed({ name, projects }: Client, method: string, path: string): void {
    if (projects !== null && (project === undefined || !projects.includes(project))) {
      throw new HttpError(403, `The token of ${name} is for other projects of this server.`);
    }
    const isMade = method === "POST" && (path === SESSION || path === "/api/logins");
    if (isMade || (path === "/api/tickets" && projects !== null)) {
      throw new HttpError(403, `The token of ${name} makes no ${NO_STANDINS}`);
    }
  }

  return {
    /** Throws `unauthorized`, one answer for every kind of wrong, or `too_many_requests` once there were many. */
    async requireCredentials(c: Context, path: string, from: Source): Promise<Asker> {
      const asker = await askerOf(c, path, from);
      if (asker !== undefined) {
        if (asker.client) requireAllowed(asker.client, c.req.method, path);
        if (asker.role === "operator" || isRead(c.req.method) || path === SESSION) return asker;
        throw new HttpError(403, "This login may look at loops and change nothing.");
      }
      const wait = tooManyFailures(from.client ?? "");
      if (wait > 0) throw retryLater("Too many requests without the right token.", wait);
      throw new HttpError(
        401,
        "This needs the server's token in the header `Authorization: Bearer …`; event streams take a ticket of `POST /api/tickets` as well.",
        { "www-authenticate": "Bearer" },
      );
    },
    /** The answers of tickets, logins and sessions; undefined for other paths. */
    async answer(c: Context, path: string, { role, session, client }: Asker) {
      const { method } = c.req;
      if (path === "/api/tickets") {
        requireMethod(method, ["POST"]);
        const { code: ticket, expires_at } = await sessions.tickets.issue(role);
        return c.json({ success: true, data: { ticket, expires_at } });
      }
      if (path === "/api/logins") {
        requireMethod(method, ["POST"]);
        const isReader = c.req.query("read_only") === "true";
        const { code: login, expires_at } = await sessions.logins.issue(isReader ? "reader" : role);
        return c.json({ success: true, data: { login, expires_at } });
      }
      if (path !== SESSION) return undefined;
      requireMethod(method, ["GET", "POST", "DELETE"]);
      if (method === "POST") return openSession(c, role);
      if (method === "GET")
        return c.json({ success: true, data: described(session, role, client) });
      sessions.end(cookieOf(c));
      c.header("Set-Cookie", cookie(c, "", 0));
      return c.json({ success: true, message: "Logged out." });
    },
  };
}

const SESSION = "/api/session";
const NO_STANDINS =
  "logins, and tickets only where it is for all projects: the server's own token does.";

function described(session: Session | undefined, role: Role = "operator", client?: Client) {
  const expires_at = session === undefined ? null : new Date(session.end).toISOString();
  return { role: session?.role ?? role, expires_at, client: client?.name ?? null };
}

/** Cookies know no ports: servers of one machine would take each other's. */
function cookieName(c: Context): string {
  return `ccw_loop_session_${parseHost(hostOf(c))?.port ?? "default"}`;
}

function hostOf(c: Context): string {
  return c.req.header("host") ?? new URL(c.req.url).host;
}

function cookieOf(c: Context): string {
  return getCookie(c, cookieName(c)) ?? "";
}

function cookie(c: Context, text: string, maxAge: number): string {
  // Behind a proxy that ends TLS only the page knows it.
  const secure = /^https:/.test(c.req.header("origin") ?? c.req.url);
  const path = mountOf(c) || "/";
  return serialize(cookieName(c), text, {
    path,
    maxAge,
    secure,
    httpOnly: true,
    sameSite: "Strict",
  });
}

function requireMethod(method: string, allowed: readonly string[]): void {
  if (allowed.includes(method)) return;
  const allow = allowed.join(", ");
  throw new HttpError(405, `This path takes ${allow}.`, { allow });
}

export function isRead(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

function tokenRule(token: string): (given: string) => boolean {
  if (typeof token !== "string" || token === "") {
    throw badOption(
      'Say who may ask: access: { token: "…" } for those who send that token, or access: "guarded" where your application looks at them before.',
    );
  }
  return (given) => isSame(given, token);
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
  return isRead(method) && PUBLIC.has(path);
}

/** Where a ticket stands in for the token. */
const STREAMS = /^\/api\/(?:events|loops\/v2\/[^/]+\/events)$/;

/** Names of query parameters under which other servers take tokens. */
const TOKEN_NAMES = ["token", "access_token", "bearer", "authorization", "api_key"];
