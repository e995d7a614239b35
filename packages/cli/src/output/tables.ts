import type {
  CleanedWorktree,
  ListQuery,
  LoopList,
  LoopState,
  TimelineEntry,
} from "@ccw-loop/core";
import {
  formatBytes,
  type Row,
  STATUS_TONES,
  sanitizeLine,
  statusSummary,
  TIMELINE_HEAD,
  table,
  timelineRows,
  timeSince,
  undrivenText,
} from "@ccw-loop/view";
import type { Context } from "../runtime/context.ts";
import { commandPrefix } from "../runtime/hints.ts";
import { loopsAbove } from "../runtime/project-root.ts";

type Printing = Pick<Context, "io" | "paint" | "hint">;

const LOOP_HEAD = ["LOOP", "STATUS", "ACTION", "ITERATION", "TESTS", "AGE", "TITLE"];

/** A page of loops as a table; below it what to do about loops that nobody drives, and about those that cannot be read. */
export function loopTable(
  { loops, total, damaged, undriven }: LoopList,
  { status, tag, text }: ListQuery,
  context: Context,
): string {
  const { io, paint, hint, remote, root } = context;
  const broken = damaged.map(({ id, reason }) => {
    const next = reason.includes("ccw-loop ") ? "" : ` See: ccw-loop recover ${id}`;
    return `${paint("bad", "damaged")} ${hint(sanitizeLine(`${id}: ${reason}${next}`))}`;
  });
  if (loops.length === 0 && broken.length === 0 && total === 0) {
    const filtered = (status ?? tag ?? text) !== undefined;
    if (filtered) return hint("No loop matches the filter. See all of them with: ccw-loop list");
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
  const lines = rows.length === 0 ? [] : tableFor(context, LOOP_HEAD, rows);
  const more = total > loops.length ? [`${loops.length} of ${total} loops`] : [];
  const left = undrivenLines({ loops, undriven }, new Date(now)).map((text) =>
    paint("warning", hint(text)),
  );
  return [...lines, ...more, ...left, ...broken].join("\n");
}

function undrivenLines(
  { loops, undriven }: Pick<LoopList, "loops" | "undriven">,
  now: Date,
): string[] {
  const [first] = undriven;
  if (first === undefined) return [];
  const found = loops.find(({ state }) => state.loop_id === first.id);
  const state = found?.state ?? { loop_id: first.id };
  if (undriven.length === 1) return [undrivenText(state, first.since, now)];
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
    timeSince(state.updated_at, now),
    state.title,
  ];
}

/** A row for each entry. */
export function timelineTable(
  id: string,
  entries: readonly TimelineEntry[],
  context: Printing,
): string {
  const { hint } = context;
  if (entries.length === 0) {
    return hint(`Loop ${id} has done nothing yet. Drive it with: ccw-loop run --loop-id ${id}`);
  }
  return tableFor(context, TIMELINE_HEAD, timelineRows(entries)).join("\n");
}

/** A table that fits the terminal, where there is one. */
function tableFor(
  { io, paint }: Printing,
  head: readonly string[],
  rows: readonly Row[],
): string[] {
  const columns = io.stdout.isTTY ? io.stdout.columns : undefined;
  return table(head, rows, { columns, paint });
}

const WORKTREE_HEAD = ["LOOP", "STATUS", "SIZE", "RESULT", "FOLDER"];

/** A row for each worktree: what it takes on disk, what became of it, or why it stays. */
export function worktreeTable(
  worktrees: readonly CleanedWorktree[],
  { dryRun, context }: { dryRun: boolean; context: Printing },
): string {
  const verb = dryRun ? "would be removed" : "removed";
  if (worktrees.length === 0) return "No loop has a worktree here.";
  const rows = worktrees.map(({ id, status, bytes, reason, top }) => ({
    tone: reason === null ? ("good" as const) : ("plain" as const),
    cells: [
      id,
      status ?? "gone",
      formatBytes(bytes),
      reason === null ? verb : `stays: ${reason}`,
      top,
    ],
  }));
  const going = worktrees.filter(({ reason }) => reason === null);
  const bytes = (some: readonly CleanedWorktree[]) =>
    formatBytes(some.reduce((total, worktree) => total + worktree.bytes, 0));
  const branches = going.length > 0 && !dryRun ? " Branches with work of their own stay." : "";
  return [
    ...tableFor(context, WORKTREE_HEAD, rows),
    `${going.length} of ${worktrees.length} ${verb}: ${bytes(going)} of ${bytes(worktrees)}.${branches}`,
  ].join("\n");
}
