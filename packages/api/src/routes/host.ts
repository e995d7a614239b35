import { LoopError, LoopStatus } from "@ccw-loop/core";
import { Hono } from "hono";
import type { AppDeps } from "../app/deps.ts";
import { serveOperation } from "../app/serve-operation.ts";
import { docs, health, metrics, openapi, ready } from "../contract/host.ts";
import { openApiDocument } from "../openapi/document.ts";
import { docsPage } from "../openapi/page.ts";

export function hostRoutes(deps: AppDeps): Hono {
  const { service, options } = deps;
  const app = new Hono();

  serveOperation(app, deps, health, () => {
    return { data: { status: "ok", version: options.version ?? null } };
  });

  serveOperation(app, deps, ready, async () => {
    await service.list({ limit: 1 }).catch((cause: unknown) => {
      throw new LoopError("store_unavailable", "The loops cannot be listed.", { cause });
    });
    const drives = options.drives?.() ?? null;
    if (drives !== false) return { data: { drives } };
    throw new LoopError("agent_unavailable", "Nobody in this process drives running loops.", {
      details: { drives },
    });
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

  serveOperation(app, deps, openapi, () => Response.json(openApiDocument()));

  serveOperation(app, deps, docs, () => docsPage(""));
  app.get("/", () => docsPage("api/"));

  return app;
}
