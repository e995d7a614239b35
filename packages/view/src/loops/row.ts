import {
  ActionName,
  type Bound,
  boundsOf,
  type LoopState,
  type LoopStatus,
  stallLevelOf,
  tasksOf,
} from "@ccw-loop/core";
import { waitingText } from "../loop/log.ts";
import { sanitizeLine } from "../text/sanitize.ts";

/** How a loop does, in the order in which a person should look. */
export const HEALTHS = [
  "waiting",
  "stuck",
  "undriven",
  "running",
  "failed",
  "resting",
  "done",
] as const;
export type Health = (typeof HEALTHS)[number];

/** A loop as a list needs it; small, because there may be ten thousand. */
export interface LoopRow {
  id: string;
  title: string;
  status: LoopStatus;
  /** Why it ended, as a code; null while it has not. */
  outcome: string | null;
  health: Health;
  /** Since when nobody drives it although it is to be driven (RFC 3339); null for every other one. */
  undrivenSince: string | null;
  /** What it waits for, on one line; null when it waits for nothing. */
  waits: string | null;
  /** When it goes on by itself (RFC 3339). */
  until: string | null;
  action: ActionName | null;
  iteration: number;
  maxIterations: number;
  /** Of the last test run. */
  tests: { passed: number; failed: number } | null;
  tasks: { done: number; total: number };
  /** The largest share of any of its bounds that is used up, 0 to 1, and which. */
  used: { share: number; bound: Bound["name"] };
  tags: readonly string[];
  /** Of its last change, in epoch ms. */
  updatedAt: number;
  /** Everything that the search looks at, in lower case. */
  haystack: string;
  revision: number;
}

/** Of a description so much is searched, and of a title and a question so much is kept. */
const SEARCHED = 500;
const SHOWN = 200;

export function rowOf(state: LoopState): LoopRow {
  const { loop_id: id, status, waiting, tags = [] } = state;
  const title = sanitizeLine(state.title.slice(0, SHOWN));
  const counts = state.receipts?.at(-1)?.counts;
  const tasks = tasksOf(state);
  return {
    id,
    title,
    status,
    outcome: state.outcome?.code ?? null,
    health: healthOf(state),
    undrivenSince: null,
    waits: waiting ? sanitizeLine(waitingText(waiting).slice(0, SHOWN)) : null,
    until: (status === "running" && waiting?.until) || null,
    action: state.action?.name ?? lastAction(state),
    iteration: state.current_iteration,
    maxIterations: state.max_iterations,
    tests: counts && counts.total > 0 ? { passed: counts.passed, failed: counts.failed } : null,
    tasks: {
      done: tasks.filter((task) => task.status === "completed").length,
      total: tasks.length,
    },
    used: usedMost(state),
    tags,
    updatedAt: Date.parse(state.updated_at),
    haystack: [id, title, tags.join(" "), state.description.slice(0, SEARCHED)]
      .join("\n")
      .toLowerCase(),
    revision: state.revision ?? 0,
  };
}

/** The same loop, driven by nobody since then; null: somebody drives it, or need not. */
export function undrivenRow(row: LoopRow, since: string | null): LoopRow {
  if (row.undrivenSince === since) return row;
  return { ...row, undrivenSince: since, health: since === null ? "running" : "undriven" };
}

/** An operator ended a stopped loop, so it rests; one that waits for a usage limit goes on by itself, so it runs. */
function healthOf(state: LoopState): Health {
  const { status, waiting, outcome } = state;
  if (status === "completed") return "done";
  if (status === "failed") return outcome?.code === "stopped_by_user" ? "resting" : "failed";
  if (status !== "running") return "resting";
  if (waiting?.kind === "no_progress" || stallLevelOf(state).level !== "none") return "stuck";
  return waiting === undefined || waiting.kind === "usage_limit" ? "running" : "waiting";
}

function lastAction({ skill_state }: LoopState): ActionName | null {
  return ActionName.safeParse(skill_state?.last_action).data ?? null;
}

function usedMost(state: LoopState): LoopRow["used"] {
  const shares = boundsOf(state).map(({ name, used, bound }) => ({
    bound: name,
    share: Math.min(1, used / bound),
  }));
  return shares.reduce((most, one) => (one.share > most.share ? one : most));
}
