import {
  type ListPosition,
  type ListQuery,
  type LoopPage,
  type LoopSummary,
  withoutUndefined,
} from "@ccw-loop/core";
import type { AppDeps, Handlers } from "../app/serve-operation.ts";
import { type LOOPS, type PageQuery, readCursor, writeCursor } from "../contract/loops.ts";

export function loopHandlers({ service, options }: AppDeps): Handlers<typeof LOOPS> {
  const { redact = (text: string) => text } = options;
  const redacted = ({ total, damaged }: Pick<LoopPage, "total" | "damaged">) => ({
    total,
    damaged: damaged.map(({ id, reason }) => ({ id, reason: redact(reason) })),
  });
  return {
    async listLoops({ query }) {
      const { loops, undriven, ...rest } = await service.list(asked(query));
      const states = loops.map(({ state }) => state);
      const { data, ...page } = pageOf(states, query, (state) => state);
      const shown = new Set(data.map(({ loop_id }) => loop_id));
      return {
        data,
        ...page,
        ...redacted(rest),
        undriven: undriven.filter(({ id }) => shown.has(id)),
        timestamp: new Date().toISOString(),
      };
    },
    async listSummaries({ query }) {
      const { loops, ...rest } = await service.summaries(asked(query));
      const place = ({ id, updated_at }: LoopSummary) => ({ loop_id: id, updated_at });
      return { ...pageOf(loops, query, place), ...redacted(rest) };
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

/** What the service is asked for; one more than the page has tells whether there is more. */
function asked({ status, tag, text, limit, offset, cursor }: PageQuery): ListQuery {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  return {
    ...(status === "all" ? {} : { status }),
    ...withoutUndefined({ tag, text, after }),
    ...{ offset, limit: limit + 1 },
  };
}

function pageOf<T>(
  loops: readonly T[],
  { limit, offset }: PageQuery,
  placeOf: (one: T) => ListPosition,
) {
  const data = loops.slice(0, limit);
  const hasMore = loops.length > limit;
  const last = hasMore ? data.at(-1) : undefined;
  const next_cursor = last === undefined ? null : writeCursor(placeOf(last));
  return { data, limit, offset, hasMore, next_cursor };
}
