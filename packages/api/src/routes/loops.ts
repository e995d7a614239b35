import { withoutUndefined } from "@ccw-loop/core";
import type { AppDeps, Handlers } from "../app/serve-operation.ts";
import { type LOOPS, readCursor, writeCursor } from "../contract/loops.ts";

export function loopHandlers({ service, options }: AppDeps): Handlers<typeof LOOPS> {
  const { redact = (text: string) => text } = options;
  return {
    async listLoops({ query }) {
      const { status, tag, text, limit, offset, cursor } = query;
      const after = cursor === undefined ? undefined : readCursor(cursor);
      const { loops, total, damaged, undriven } = await service.list({
        ...(status === "all" ? {} : { status }),
        ...withoutUndefined({ tag, text, after }),
        offset,
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
    },
    createLoop: async ({ body, opId }) => ({
      data: await service.create(withoutUndefined(body), { opId }),
    }),
    getLoop: async ({ id }) => ({ data: await service.get(id) }),
    updateLoop: async ({ body, send }) => ({ data: await send({ type: "edit", changes: body }) }),
    async deleteLoop({ id, revision }) {
      await service.delete(id, { revision: await revision() });
      return { message: "Loop deleted" };
    },
  };
}
