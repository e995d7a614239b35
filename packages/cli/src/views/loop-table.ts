import type { LoopPage, LoopState, LoopStatus } from "@ccw-loop/core";
import type { Context } from "../context.ts";
import { formatDuration } from "../text/duration.ts";
import { inertLine } from "../text/inert-text.ts";
import type { Tone } from "../text/paint.ts";
import { table } from "../text/table.ts";
import { countdown } from "./facts.ts";

const HEAD = ["LOOP", "STATUS", "ACTION", "ITERATION", "TESTS", "AGE", "TITLE"];

const TONES: Readonly<Record<LoopStatus, Tone>> = {
  created: "plain",
  running: "name",
  paused: "care",
  completed: "good",
  failed: "bad",
  user_exit: "care",
};

/** A page of loops as a table; loops that cannot be read below it, with the way to save them. */
export function loopTable({ loops, total, damaged }: LoopPage, context: Context): string {
  const { io, paint } = context;
  const broken = damaged.map(({ id, reason }) => {
    const sentence = `${inertLine(id)}: ${inertLine(reason)}`;
    return `${paint("bad", "damaged")} ${sentence} See: ccw-loop recover ${inertLine(id)}`;
  });
  if (loops.length === 0 && broken.length === 0 && total === 0) {
    return 'No loops here yet. Start one with: ccw-loop run --auto "TASK"';
  }
  const now = Date.now();
  const rows = loops.map(({ state }) => ({
    tone: TONES[state.status],
    cells: cellsOf(state, now),
  }));
  const columns = io.stdout.isTTY ? io.stdout.columns : undefined;
  const lines = rows.length === 0 ? [] : table(HEAD, rows, { columns, paint });
  const more = total > loops.length ? [`${loops.length} of ${total} loops`] : [];
  return [...lines, ...more, ...broken].join("\n");
}

/** The status, and whether it waits: for how long, where it goes on by itself. */
function standing({ status, waiting }: LoopState, now: Date): string {
  if (!waiting) return status;
  const left = status === "running" ? countdown(waiting, now) : undefined;
  return `${status}, ${left === undefined || left === "now" ? "waits" : `goes on ${left}`}`;
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
