import { withoutUndefined } from "@ccw-loop/core";
import { Hono } from "hono";
import { ifMatchRevision } from "../app/request-conditions.ts";
import { type AppDeps, ndjson, OneLoop, serveOperation } from "../app/serve-operation.ts";
import {
  cleanWorktrees,
  forkLoop,
  loopJournal,
  loopReceipts,
  loopTimeline,
  recoverLoop,
  rewindLoop,
  whyLoop,
} from "../contract/history.ts";
import { diffLoop, verifyLoop } from "../contract/proof.ts";

export function historyRoutes(deps: AppDeps): Hono {
  const { service } = deps;
  const app = new Hono();

  serveOperation(app, deps, whyLoop, async ({ id }) => ({ data: await service.why(id) }));

  serveOperation(app, deps, loopTimeline, async ({ id }) => ({ data: await service.timeline(id) }));

  serveOperation(app, deps, loopReceipts, async ({ id }) => {
    return { data: (await service.get(id)).receipts ?? [] };
  });

  serveOperation(app, deps, loopJournal, ({ id, query }) => {
    return ndjson(service.events(id, query.after), { begin: true });
  });

  serveOperation(app, deps, rewindLoop, async ({ id, request, body: { to, force = false } }) => {
    const revision = await ifMatchRevision(request, () => service.get(id));
    return { data: await service.rewind(id, to, { force, revision }) };
  });

  serveOperation(app, deps, forkLoop, async ({ id, request, opId, body: { from, ...spec } }) => {
    const revision = await ifMatchRevision(request, () => service.get(id));
    const made = await service.fork(id, from, withoutUndefined(spec), { opId, revision });
    return new OneLoop(made, "Loop forked");
  });

  serveOperation(app, deps, recoverLoop, async ({ id, request, body }) => {
    // The loop may be one that cannot be read: its state is the one that would be rebuilt.
    const plan = async () => (await service.recover(id, { dryRun: true })).state;
    const revision = await ifMatchRevision(request, plan);
    return { data: await service.recover(id, { dryRun: body.dry_run, revision }) };
  });

  serveOperation(app, deps, cleanWorktrees, async ({ body: { dry_run, force } }) => {
    return { data: await service.clean({ dryRun: dry_run === true, force: force === true }) };
  });

  return app;
}

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
