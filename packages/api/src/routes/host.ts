import { LoopError, LoopStatus } from "@ccw-loop/core";
import { Hono } from "hono";
import { type AppDeps, serveOperation } from "../app/serve-operation.ts";
import { docs, health, metrics, openapi, ready } from "../contract/host.ts";
import { openApiDocument } from "../openapi/document.ts";
import { docsPage } from "../openapi/page.ts";

export function hostRoutes(deps: AppDeps): Hono {
  const { service, options } = deps;
  const app = new Hono();

  serveOperation(app, deps, health, () => {
    return { data: { status: "ok", version: options.version ?? null } };
  });

  // Everybody may ask, as often as they like: one look answers all who wait for it.
  let looking: Promise<unknown> | undefined;
  serveOperation(app, deps, ready, async () => {
    if (options.signal?.aborted) {
      throw new LoopError("store_unavailable", "The server is shutting down.");
    }
    looking ??= service.list({ limit: 1 }).finally(() => {
      looking = undefined;
    });
    await looking.catch((cause: unknown) => {
      throw new LoopError("store_unavailable", "The loops cannot be listed.", { cause });
    });
    return { data: { drives: options.drives?.() ?? null } };
  });

  serveOperation(app, deps, metrics, async () => {
    const statuses = LoopStatus.options.map(async (status) => {
      const { total } = await service.list({ status, limit: 1 });
      return [`status="${status}"`, total] as const;
    });
    const { listeners, loops } = deps.live.figures();
    const text = deps.metrics.text([
      { name: "ccw_loop_loops", help: "Loops by status.", values: await Promise.all(statuses) },
      { name: "ccw_loop_live_clients", help: "Open event streams.", values: [["", listeners]] },
      { name: "ccw_loop_live_loops", help: "Loops watched for them.", values: [["", loops]] },
    ]);
    return new Response(text, {
      headers: { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" },
    });
  });

  serveOperation(app, deps, openapi, ({ base }) => Response.json(openApiDocument(base)));

  serveOperation(app, deps, docs, () => docsPage(""));
  app.get("/", () => docsPage("api/"));

  return app;
}
