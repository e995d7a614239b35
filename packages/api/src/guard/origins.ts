import { badOption } from "../app/options.ts";
import { parseHost } from "./hosts.ts";

export type Origin = "absent" | "own" | "configured" | "refused";

/**
 * Browsers name the page that asks in `Origin`; other programs send none. `host` is what the request itself is sent
 * to, already checked: a page from there is one that this server sent. `null` (a sandboxed frame, a file) is nobody.
 * `own` and `configured` may go on, the latter with CORS headers.
 */
export function originRule(
  origins: readonly string[],
): (origin: string | undefined, host: string) => Origin {
  const configured = new Set(origins.map(asSent));
  return (origin, host) => {
    if (origin === undefined) return "absent";
    if (configured.has(origin)) return "configured";
    return isOwn(origin, host) ? "own" : "refused";
  };
}

/** An origin of the configuration as browsers send it. Throws for what is none: `*` and paths among others. */
function asSent(text: string): string {
  const url = URL.parse(text);
  if (url === null || url.origin === "null" || url.href !== `${url.origin}/`) {
    throw badOption(`${text} is no origin: use a form such as https://loops.example.`);
  }
  return url.origin;
}

/** The scheme is not compared: behind a proxy that ends TLS this server sees another one than the browser. */
function isOwn(origin: string, host: string): boolean {
  const [, sent] = /^https?:\/\/(.+)$/.exec(origin) ?? [];
  const page = sent === undefined ? undefined : parseHost(sent);
  const own = parseHost(host);
  return (
    page !== undefined && own !== undefined && page.name === own.name && page.port === own.port
  );
}

/** Headers of an answer that a page of a configured origin may read. */
export const EXPOSED = "ETag, Location, Preference-Applied, Retry-After, X-Request-Id";

export const PREFLIGHT = {
  "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
  "access-control-allow-headers":
    "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, X-Request-Id",
  "access-control-max-age": "600",
};
