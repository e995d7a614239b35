import { type LoopState, type LoopStatus, withoutUndefined } from "@ccw-loop/core";
import type { Context } from "../runtime/context.ts";
import type { Answer } from "../runtime/perform.ts";

interface ListFlags {
  status?: LoopStatus;
  tag?: string;
  search?: string;
  limit: number;
  offset: number;
}

/** One line per loop; loops that cannot be read are told too. */
export async function list(context: Context, flags: ListFlags): Promise<Answer> {
  const { status, tag, search, limit, offset } = flags;
  const query = withoutUndefined({ limit, offset, status, tag, text: search });
  const page = await (await context.parts.loops()).list(query);
  const { total, damaged } = page;
  const since = new Map(page.undriven.map((one) => [one.id, one.since]));
  const rows = page.loops.map(({ state }) => rowData(state, since.get(state.loop_id) ?? null));
  return {
    data: { loops: rows, total, damaged },
    text: async () => (await import("../output/tables.ts")).loopTable(page, query, context),
  };
}

function rowData(state: LoopState, undrivenSince: string | null) {
  return {
    loop_id: state.loop_id,
    title: state.title,
    status: state.status,
    action: state.action?.name ?? state.skill_state?.last_action ?? null,
    iteration: state.current_iteration,
    max_iterations: state.max_iterations,
    tests: state.receipts?.at(-1)?.counts ?? null,
    outcome: state.outcome ?? null,
    waiting: state.waiting ?? null,
    undriven_since: undrivenSince,
    created_at: state.created_at,
    updated_at: state.updated_at,
  };
}
