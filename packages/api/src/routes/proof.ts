import { Hono } from "hono";
import type { AppDeps } from "../app/deps.ts";
import { ifMatchRevision } from "../app/etag.ts";
import { serveOperation } from "../app/serve-operation.ts";
import { withoutUndefined } from "../app/without-undefined.ts";
import { diffLoop, verifyLoop } from "../contract/proof.ts";

export function proofRoutes(deps: AppDeps): Hono {
  const { service } = deps;
  const app = new Hono();

  serveOperation(app, deps, diffLoop, async ({ id, query }) => {
    return { data: await service.diff(id, withoutUndefined(query)) };
  });

  serveOperation(app, deps, verifyLoop, async ({ id, body, request, signal }) => {
    const revision = await ifMatchRevision(request, () => service.get(id));
    return { data: await service.verify(id, { ...body, signal, revision }) };
  });

  return app;
}
