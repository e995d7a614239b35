import type { Context, MiddlewareHandler } from "hono";
import type { RequestIdVariables } from "hono/request-id";
import { matchedRoutes } from "hono/route";
import type { Metrics } from "./metrics.ts";
import type { AppOptions } from "./options.ts";

/** What is known of a request beside its answer. */
type Variables = RequestIdVariables & { code?: string; error?: unknown };

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Counts every request, and tells the host about it: nothing of its body, headers or query. */
export function record({
  metrics,
  options,
}: {
  metrics: Metrics;
  options: Pick<AppOptions, "onRequest">;
}): MiddlewareHandler<{ Variables: Variables }> {
  return async (c, next) => {
    const started = performance.now();
    await next();
    const duration_ms = performance.now() - started;
    const id = c.get("requestId");
    // An answer of a kind of its own, or of an earlier request, does not carry it yet.
    c.header("X-Request-Id", id);
    const { status } = c.res;
    const method = METHODS.has(c.req.method) ? c.req.method : "OTHER";
    metrics.answered(routeOf(c), method, status, duration_ms / 1000);
    const code = c.get("code");
    const error = c.get("error");
    options.onRequest?.({
      id,
      method,
      path: c.req.path,
      status,
      duration_ms,
      ...(code === undefined ? {} : { code }),
      ...(error === undefined ? {} : { error }),
    });
  };
}

/** The pattern of the route that answered; those with a `*` are passed by every request. */
function routeOf(c: Context): string {
  return matchedRoutes(c).find(({ path }) => !path.endsWith("*"))?.path ?? "none";
}
