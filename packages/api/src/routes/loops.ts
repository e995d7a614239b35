import { type ListPosition, LoopError, withoutUndefined } from "@ccw-loop/core";
import { Hono } from "hono";
import { ifMatchRevision } from "../app/request-conditions.ts";
import { type AppDeps, OneLoop, sendBound, serveOperation } from "../app/serve-operation.ts";
import {
  createLoop,
  deleteLoop,
  getLoop,
  listLoops,
  readCursor,
  updateLoop,
  writeCursor,
} from "../contract/loops.ts";

export function loopRoutes(deps: AppDeps): Hono {
  const { service } = deps;
  const { redact = (text: string) => text } = deps.options;
  const app = new Hono();

  serveOperation(app, deps, listLoops, async ({ query }) => {
    const { status, tag, text, limit, offset, cursor } = query;
    const after = placeOf(cursor, offset);
    const { loops, total, damaged, undriven } = await service.list({
      ...(status === "all" ? {} : { status }),
      ...withoutUndefined({ tag, text }),
      ...(after === undefined ? { offset } : { after }),
      // One more than is asked for tells whether there is more.
      limit: limit + 1,
    });
    const page = loops.slice(0, limit).map(({ state }) => state);
    const hasMore = loops.length > limit;
    const last = hasMore ? page.at(-1) : undefined;
    const next_cursor = last === undefined ? null : writeCursor(last);
    const timestamp = new Date().toISOString();
    const unread = damaged.map(({ id, reason }) => ({ id, reason: redact(reason) }));
    const shown = new Set(page.map(({ loop_id }) => loop_id));
    return {
      data: page,
      ...{ total, limit, offset, hasMore, next_cursor },
      damaged: unread,
      undriven: undriven.filter(({ id }) => shown.has(id)),
      timestamp,
    };
  });

  serveOperation(app, deps, createLoop, async ({ body, opId }) => {
    return new OneLoop(await service.create(withoutUndefined(body), { opId }));
  });

  serveOperation(app, deps, getLoop, async ({ id }) => new OneLoop(await service.get(id)));

  serveOperation(app, deps, updateLoop, async (asked) => {
    const { id, body: changes } = asked;
    return new OneLoop(await sendBound(deps, asked, id, { type: "edit", changes }));
  });

  serveOperation(app, deps, deleteLoop, async ({ id, request }) => {
    const revision = await ifMatchRevision(request, () => service.get(id));
    await service.delete(id, { revision });
    return { message: "Loop deleted" };
  });

  return app;
}

function placeOf(cursor: string | undefined, offset: number): ListPosition | undefined {
  if (cursor === undefined) return undefined;
  if (offset === 0) return readCursor(cursor);
  throw new LoopError("invalid_input", "Send either a cursor or an offset, not both.");
}
