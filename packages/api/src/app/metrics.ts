import { withoutUndefined } from "@ccw-loop/core";
import type { Context, MiddlewareHandler } from "hono";
import type { RequestIdVariables } from "hono/request-id";
import { matchedRoutes } from "hono/route";
import type { Client } from "../guard/clients.ts";
import type { AppOptions } from "./options.ts";

/** What is known of a request beside its answer. */
type Variables = RequestIdVariables & { code?: string; error?: unknown; client?: Client };

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Counts every request, and tells the host about it: nothing of its body, headers or query. */
export function record(
  metrics: Metrics,
  onRequest: AppOptions["onRequest"],
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

const DURATION = "ccw_loop_http_request_duration_seconds";

/** Upper bounds in seconds. */
const BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30];

interface Durations {
  buckets: number[];
  sum: number;
  count: number;
}

/** Figures of the requests since the start, by pattern of the route: never by what a caller wrote. */
export class Metrics {
  readonly #requests = new Map<string, number>();
  readonly #durations = new Map<string, Durations>();

  answered(route: string, method: string, status: number, seconds: number): void {
    const labels = `route="${route}",method="${method}",status="${status}"`;
    this.#requests.set(labels, (this.#requests.get(labels) ?? 0) + 1);
    const key = `route="${route}",method="${method}"`;
    const durations = this.#durations.get(key) ?? {
      buckets: BUCKETS.map(() => 0),
      sum: 0,
      count: 0,
    };
    this.#durations.set(key, durations);
    BUCKETS.forEach((bound, at) => {
      if (seconds <= bound) durations.buckets[at] = (durations.buckets[at] ?? 0) + 1;
    });
    durations.sum += seconds;
    durations.count += 1;
  }

  /** In the text format of Prometheus, with gauges that are read at this moment. */
  text(gauges: readonly Gauge[]): string {
    return [
      ...family("ccw_loop_http_requests_total", "counter", "Requests that were answered.", [
        ...this.#requests,
      ]),
      ...family(DURATION, "histogram", "Time until the answer began.", []),
      ...[...this.#durations].flatMap(([labels, durations]) => histogram(labels, durations)),
      ...gauges.flatMap(({ name, type, help, values }) =>
        family(name, type ?? "gauge", help, values),
      ),
      "",
    ].join("\n");
  }
}

export interface Gauge {
  name: string;
  /** `counter` for what only grows. */
  type?: "counter";
  help: string;
  /** By labels as they are printed; an empty text has none. */
  values: readonly (readonly [labels: string, value: number])[];
}

function family(
  name: string,
  type: "counter" | "gauge" | "histogram",
  help: string,
  values: Gauge["values"],
): string[] {
  const lines = values.map(([labels, value]) => `${name}${labels && `{${labels}}`} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines];
}

function histogram(labels: string, { buckets, sum, count }: Durations): string[] {
  return [
    ...BUCKETS.map(
      (bound, at) => `${DURATION}_bucket{${labels},le="${bound}"} ${buckets[at] ?? 0}`,
    ),
    `${DURATION}_bucket{${labels},le="+Inf"} ${count}`,
    `${DURATION}_sum{${labels}} ${sum}`,
    `${DURATION}_count{${labels}} ${count}`,
  ];
}
