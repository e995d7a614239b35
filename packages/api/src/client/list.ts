import type { ListQuery, LoopList } from "@ccw-loop/core";
import { listLoops } from "../contract/loops.ts";
import { writeCursor } from "../routes/cursor.ts";
import type { HttpTransport } from "./exchange.ts";
import { LOOPS } from "./paths.ts";

/** The server gives no more at once. */
const MOST = 500;

/** See `LoopService.list`; asks as often as it takes. */
export async function listAllPages(
  exchange: HttpTransport,
  { status, tag, text, offset = 0, after, limit = 50 }: ListQuery,
): Promise<LoopList> {
  // A cursor and an offset cannot be asked for together: what is to be left out behind a place is read, too.
  let skip = after ? offset : 0;
  const filters = { status, tag, text };
  const loops: LoopList["loops"] = [];
  const undriven: LoopList["undriven"] = [];
  let from: { offset?: number; cursor?: string } = after
    ? { cursor: writeCursor(after) }
    : { offset };
  for (;;) {
    const wanted = Math.min(Math.max(limit + skip - loops.length, 1), MOST);
    const page = await exchange.json(
      { path: LOOPS, query: { ...filters, ...from, limit: wanted } },
      listLoops.answer.json,
    );
    const found = page.data.slice(skip);
    skip -= page.data.length - found.length;
    loops.push(...found.map((state) => ({ state, revision: state.revision ?? 0 })));
    undriven.push(...page.undriven);
    if (loops.length >= limit || page.next_cursor === null) {
      const { total, damaged } = page;
      const kept = loops.slice(0, limit);
      const ids = new Set(kept.map(({ state }) => state.loop_id));
      return { loops: kept, total, damaged, undriven: undriven.filter(({ id }) => ids.has(id)) };
    }
    from = { cursor: page.next_cursor };
  }
}
