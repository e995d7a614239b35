import type { ListQuery, LoopPage, LoopState } from "@ccw-loop/core";
import { formatDuration, inertLine, STATUS_TONES, standing, table } from "@ccw-loop/view";
import type { Context } from "../context.ts";

const HEAD = ["LOOP", "STATUS", "ACTION", "ITERATION", "TESTS", "AGE", "TITLE"];

/** A page of loops as a table; loops that cannot be read below it, with the way to save them. */
export function loopTable(
  { loops, total, damaged }: LoopPage,
  { status, tag, text }: ListQuery,
  context: Context,
): string {
  const { io, paint, hint } = context;
  const broken = damaged.map(({ id, reason }) => {
    const sentence = `${inertLine(id)}: ${inertLine(reason)}`;
    return `${paint("bad", "damaged")} ${sentence} ${hint(`See: ccw-loop recover ${inertLine(id)}`)}`;
  });
  if (loops.length === 0 && broken.length === 0 && total === 0) {
    const filtered = (status ?? tag ?? text) !== undefined;
    if (filtered) return hint("No loop fits. See all of them with: ccw-loop list");
    return hint('No loops here yet. Start one with: ccw-loop run --auto "TASK"');
  }
  const now = Date.now();
  const rows = loops.map(({ state }) => ({
    tone: STATUS_TONES[state.status],
    cells: cellsOf(state, now),
  }));
  const columns = io.stdout.isTTY ? io.stdout.columns : undefined;
  const lines = rows.length === 0 ? [] : table(HEAD, rows, { columns, paint });
  const more = total > loops.length ? [`${loops.length} of ${total} loops`] : [];
  return [...lines, ...more, ...broken].join("\n");
}

function cellsOf(state: LoopState, now: number): string[] {
  const counts = state.receipts?.at(-1)?.counts;
  return [
    state.loop_id,
    standing(state, new Date(now)),
    state.action?.name ?? state.skill_state?.last_action ?? "-",
    `${state.current_iteration}/${state.max_iterations}`,
    counts ? `${counts.passed}/${counts.passed + counts.failed}` : "-",
    formatDuration(Math.max(0, now - Date.parse(state.updated_at))),
    state.title,
  ];
}
