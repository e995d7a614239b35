import type { Context, MiddlewareHandler } from "hono";
import { errorAnswer, HttpError, PROBLEM, retryLater } from "../app/http-error.ts";
import { type AppOptions, pathWithin } from "../app/options.ts";
import { isPageFile } from "../app/page.ts";
import { isJson } from "../app/request-body.ts";
import { isPublic, isRead, tokenAccess } from "./access.ts";
import { hostRule } from "./hosts.ts";
import { EXPOSED, type Origin, originRule, PREFLIGHT } from "./origins.ts";
import { clientOf, type Rate, rateLimit } from "./rate.ts";

/** Per client; a page with all its loops open needs a tenth of it. */
const REQUESTS: Rate = { perSecond: 100, burst: 1_000 };

/**
 * What every request passes before any handler, in this order: the host it names, the page it comes from, how often
 * its client asks, and who asks. Answers preflights, and what gives tickets, logins and sessions, itself. Throws
 * `invalid_input` for options that cannot be meant.
 */
export function guard(options: AppOptions): MiddlewareHandler {
  const { access, hosts = [], origins = [], rate = REQUESTS } = options;
  const requireHost = hostCheck(access === "guarded" && hosts.length === 0 ? undefined : hosts);
  const checkOrigin = originRule(origins);
  const requireRate = rateCheck(rate);
  const tokens = access === "guarded" ? undefined : tokenAccess(access, options.project);

  const pass = async (c: Context, path: string, origin: Origin) => {
    const client = clientOf(peerOf(c));
    requireRate(client);
    if (isPublic(c.req.method, path)) return undefined;
    if (options.page && isRead(c.req.method) && isPageFile(path)) return undefined;
    const from = { client, fromOwnPage: isFromOwnPage(c, origin) };
    const asker = await tokens?.requireCredentials(c, path, from);
    if (asker?.client) c.set("client", asker.client);
    return asker && tokens?.answer(c, path, asker);
  };

  return async (c, next) => {
    const path = pathWithin(c);
    let page: string | undefined;
    try {
      const host = requireHost(c);
      const origin = c.req.header("origin");
      const verdict = checkOrigin(origin, host);
      if (verdict === "refused") throw new HttpError(403, REFUSED_ORIGIN);
      if (verdict === "configured") page = origin;
      const answer =
        page !== undefined && isPreflight(c)
          ? c.body(null, 204, PREFLIGHT)
          : await pass(c, path, verdict);
      if (answer === undefined) await next();
      else c.res = answer;
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      c.res = errorAnswer(c, error);
    }
    // `c.header` would copy the whole answer each time.
    const { headers } = c.res;
    headers.set("x-content-type-options", "nosniff");
    headers.set("referrer-policy", "no-referrer");
    const type = headers.get("content-type");
    if (isJson(type) || type === PROBLEM) headers.set("cache-control", "no-store");
    if (origins.length > 0) headers.append("vary", "Origin");
    if (page === undefined) return;
    // Never `*`, and never credentials: the token is a header.
    headers.set("access-control-allow-origin", page);
    headers.set("access-control-expose-headers", EXPOSED);
  };
}

const REFUSED_HOST =
  "This server does not answer under that host name. Its operator allows one with `hosts` (--allow-host).";
const REFUSED_ORIGIN =
  "Pages of that origin may not ask this server. Its operator allows one with `origins` (--origin).";

/**
 * Checks the name in `Host` and the one in the URL, which is another when a request names a whole URL, or has no
 * `Host` because its runtime keeps it in the URL alone. The first of them is answered.
 */
function hostCheck(hosts: readonly string[] | undefined): (c: Context) => string {
  const isAllowed = hosts === undefined ? () => true : hostRule(hosts);
  return (c) => {
    const inUrl = new URL(c.req.url).host;
    const host = c.req.header("host") ?? inUrl;
    if (!isAllowed(host) || !isAllowed(inUrl)) throw new HttpError(403, REFUSED_HOST);
    return host;
  };
}

function rateCheck(rate: Rate | false): (client: string | undefined) => void {
  if (rate === false) return () => undefined;
  const limit = rateLimit(rate);
  return (client) => {
    const wait = client === undefined ? 0 : limit(client);
    if (wait > 0) throw retryLater("Too many requests from this client.", wait);
  };
}

/**
 * Whether a page that this server sent asks, so that a cookie counts. A browser sends cookies along with whatever any page
 * makes it ask, also one of another port, which is the same site to it. So a change has to name this origin and to carry a
 * header that other pages cannot send without asking before, and where the browser says from where a request comes,
 * it has to come from here.
 */
function isFromOwnPage(c: Context, origin: Origin): boolean {
  const site = c.req.header("sec-fetch-site");
  const read = isRead(c.req.method);
  if (site !== undefined && site !== "same-origin" && !(read && site === "none")) return false;
  if (read) return origin === "own" || origin === "absent";
  return origin === "own" && c.req.header("x-ccw-loop") !== undefined;
}

function isPreflight(c: Context): boolean {
  return c.req.method === "OPTIONS" && c.req.header("access-control-request-method") !== undefined;
}

/** As @hono/node-server tells it; other runtimes leave it to the server in front. */
function peerOf(c: Context): string | undefined {
  const env: { incoming?: { socket?: { remoteAddress?: string } } } | undefined = c.env;
  return env?.incoming?.socket?.remoteAddress;
}
