import type { LoopService } from "@ccw-loop/core";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { methodNotAllowed } from "hono/method-not-allowed";
import { requestId } from "hono/request-id";
import { guard } from "../guard/guard.ts";
import { createLive } from "../live/live.ts";
import { liveHandlers } from "../live/routes.ts";
import { docsPage } from "../openapi/page.ts";
import { commandHandlers } from "../routes/commands.ts";
import { historyHandlers, proofHandlers } from "../routes/history.ts";
import { gaugesOf, hostHandlers } from "../routes/host.ts";
import { loopHandlers } from "../routes/loops.ts";
import { progressHandlers } from "../routes/progress.ts";
import { taskHandlers } from "../routes/tasks.ts";
import { errorAnswer, HttpError } from "./http-error.ts";
import { IdempotencyCache } from "./idempotency-cache.ts";
import { Metrics } from "./metrics.ts";
import { type AppOptions, baseOf, pathWithin } from "./options.ts";
import { missingPage, PAGE_ROUTES, pageAnswer } from "./page.ts";
import { limitBody } from "./request-body.ts";
import { record } from "./request-record.ts";
import { type AppDeps, serveOperations } from "./serve-operation.ts";

/** Bytes of a request's body at most. */
const BODY_LIMIT = 1024 * 1024;

/** The control plane of one service: mount it, or serve its `fetch`. Starts nothing that outlives a request's stream. */
export function createApp(service: LoopService, options: AppOptions): Hono {
  const live = createLive(service);
  options.signal?.addEventListener("abort", () => live.close(), { once: true });
  if (options.signal?.aborted) live.close();
  const { metrics = new Metrics() } = options;
  const deps: AppDeps = { service, live, options, metrics, repetitions: new IdempotencyCache() };
  metrics.readAlso(() => gaugesOf(deps));
  const app = new Hono();
  app.use(requestId(), record(metrics, options.onRequest), redacting(options));
  app.use(contentSecurityPolicy, guard(options));
  app.onError((error, c) => errorAnswer(c, error));
  app.use(limitBody(BODY_LIMIT));
  app.use(methodNotAllowed({ app, onMethodNotAllowed: wrongMethod }));
  serveOperations(app, deps, {
    ...loopHandlers(deps),
    ...commandHandlers(deps),
    ...historyHandlers(deps),
    ...proofHandlers(deps),
    ...progressHandlers(deps),
    ...liveHandlers(deps),
    // `/tasks/:taskId` comes behind the paths of loops: `/tasks/why` is about a loop called `tasks`.
    ...taskHandlers(deps),
    ...hostHandlers(deps),
  });
  if (options.page) {
    const place = { base: baseOf, path: pathWithin };
    app.on("GET", [...PAGE_ROUTES], pageAnswer(options.page, place));
  }
  app.get("/", () => docsPage("api/"));
  // Where the app is mounted in another, `notFound` is that one's.
  app.all("/api/*", noRoute);
  app.notFound(async (c) => (await missingPage(options.page, c, baseOf(c))) ?? noRoute(c));
  return app;
}

function redacting({ redact }: AppOptions): MiddlewareHandler {
  return async (c, next) => {
    c.set("redact", redact);
    await next();
  };
}

function noRoute(c: Context): Response {
  const sentence = "There is nothing under this path. GET /api/docs lists what there is.";
  return errorAnswer(c, new HttpError(404, sentence));
}

function wrongMethod(c: Context, methods: string[]): Response {
  const allowed = methods.join(", ");
  return errorAnswer(c, new HttpError(405, `This path takes ${allowed}.`, { Allow: allowed }));
}

/** A browser that shows an answer as a page of its own runs and loads nothing, whatever text is in it. */
const contentSecurityPolicy: MiddlewareHandler = async (c, next) => {
  await next();
  const { headers } = c.res;
  if (headers.has("Content-Security-Policy")) return;
  headers.set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
};
