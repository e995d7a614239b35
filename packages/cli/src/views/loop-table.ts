import type { ListQuery, LoopList, LoopState } from "@ccw-loop/core";
import {
  formatDuration,
  STATUS_TONES,
  sanitizeLine,
  statusSummary,
  table,
  undrivenText,
} from "@ccw-loop/view";
import type { Context } from "../context.ts";
import { commandPrefix } from "../hints.ts";
import { loopsAbove } from "../project-root.ts";

const LOOP_HEAD = ["LOOP", "STATUS", "ACTION", "ITERATION", "TESTS", "AGE", "TITLE"];

/** A page of loops as a table; below it what to do about loops that nobody drives, and about those that cannot be read. */
export function loopTable(
  { loops, total, damaged, undriven }: LoopList,
  { status, tag, text }: ListQuery,
  context: Context,
): string {
  const { io, paint, hint, remote, root } = context;
  const broken = damaged.map(({ id, reason }) => {
    const sentence = `${sanitizeLine(id)}: ${sanitizeLine(reason)}`;
    return `${paint("bad", "damaged")} ${sentence} ${hint(`See: ccw-loop recover ${sanitizeLine(id)}`)}`;
  });
  if (loops.length === 0 && broken.length === 0 && total === 0) {
    const filtered = (status ?? tag ?? text) !== undefined;
    if (filtered) return hint("No loop fits. See all of them with: ccw-loop list");
    const start = hint('No loops here yet. Start one with: ccw-loop run --auto "TASK"');
    const above = remote === null ? loopsAbove(root) : undefined;
    if (above === undefined) return start;
    return `${start}\nThose of ${sanitizeLine(above)}: ${commandPrefix(io, { cwd: above })} list`;
  }
  const now = Date.now();
  const alone = new Set(undriven.map(({ id }) => id));
  const rows = loops.map(({ state }) => ({
    tone: alone.has(state.loop_id) ? ("warning" as const) : STATUS_TONES[state.status],
    cells: cellsOf(state, now, alone.has(state.loop_id)),
  }));
  const columns = io.stdout.isTTY ? io.stdout.columns : undefined;
  const lines = rows.length === 0 ? [] : table(LOOP_HEAD, rows, { columns, paint });
  const more = total > loops.length ? [`${loops.length} of ${total} loops`] : [];
  const left = undrivenLines(undriven, new Date(now)).map((text) => paint("warning", hint(text)));
  return [...lines, ...more, ...left, ...broken].join("\n");
}

function undrivenLines(undriven: LoopList["undriven"], now: Date): string[] {
  const [first] = undriven;
  if (first === undefined) return [];
  if (undriven.length === 1) return [undrivenText(first.id, first.since, now)];
  return [
    `Nobody drives ${undriven.length} of these loops. Drive all of them with: ccw-loop supervise`,
  ];
}

function cellsOf(state: LoopState, now: number, isUndriven: boolean): string[] {
  const counts = state.receipts?.at(-1)?.counts;
  return [
    state.loop_id,
    statusSummary(state, new Date(now), isUndriven),
    state.action?.name ?? state.skill_state?.last_action ?? "-",
    `${state.current_iteration}/${state.max_iterations}`,
    counts ? `${counts.passed}/${counts.passed + counts.failed}` : "-",
    formatDuration(Math.max(0, now - Date.parse(state.updated_at))),
    state.title,
  ];
}
