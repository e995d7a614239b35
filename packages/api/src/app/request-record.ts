import { withoutUndefined } from "@ccw-loop/core";
import type { Context, MiddlewareHandler } from "hono";
import type { RequestIdVariables } from "hono/request-id";
import { matchedRoutes } from "hono/route";
import type { Client } from "../guard/clients.ts";
import type { Metrics } from "./metrics.ts";

/** What a request was, for the host's log. Nothing secret is in it, and no query. */
export interface RequestRecord {
  id: string;
  method: string;
  path: string;
  /** The pattern of the path: `/api/loops/v2/:id`. */
  route: string;
  status: number;
  duration_ms: number;
  /** The caller's place in a trace (W3C Trace Context), as it was sent. */
  traceparent?: string;
  /** The name of the client whose token it brought, where that is not the server's own. */
  client?: string;
  /** The error's code, when it failed. */
  code?: string;
  /** What was thrown, under `internal` alone: nobody expected it, and the client is not told. */
  error?: unknown;
}

type Variables = RequestIdVariables & { code?: string; error?: unknown; client?: Client };

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Counts every request, and tells the host about it: nothing of its body, headers or query. */
export function record(
  metrics: Metrics,
  onRequest: ((record: RequestRecord) => void) | undefined,
): MiddlewareHandler<{ Variables: Variables }> {
  return async (c, next) => {
    const started = performance.now();
    await next();
    const duration_ms = performance.now() - started;
    const id = c.get("requestId");
    // An answer of a kind of its own, or of an earlier request, does not carry it yet.
    c.res.headers.set("X-Request-Id", id);
    const { status } = c.res;
    const method = METHODS.has(c.req.method) ? c.req.method : "OTHER";
    const route = routeOf(c);
    metrics.answered(route, method, status, duration_ms / 1000);
    const traceparent = c.req.header("traceparent");
    const client = c.get("client")?.name;
    const met = withoutUndefined({
      traceparent,
      client,
      code: c.get("code"),
      error: c.get("error"),
    });
    onRequest?.({ id, method, path: c.req.path, route, status, duration_ms, ...met });
  };
}

/** The pattern of the route that answered; those with a `*` are passed by every request. */
function routeOf(c: Context): string {
  return matchedRoutes(c).find(({ path }) => !path.endsWith("*"))?.path ?? "none";
}
