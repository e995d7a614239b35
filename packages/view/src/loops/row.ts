import type { ActionName, Bound, Health, LoopStatus, LoopSummary } from "@ccw-loop/core";
import { waitingText } from "../loop/log.ts";
import { sanitizeLine } from "../text/sanitize.ts";

export { HEALTHS, type Health } from "@ccw-loop/core";

/** Of what a loop waits for so much is shown. */
const SHOWN = 200;

/** A loop as a list shows it; small, because there may be ten thousand. */
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

export function rowOf(summary: LoopSummary): LoopRow {
  const { id, status, waiting, tags } = summary;
  const title = sanitizeLine(summary.title);
  return {
    id,
    title,
    status,
    outcome: summary.outcome,
    health: summary.health,
    undrivenSince: summary.undriven_since,
    waits: waiting && sanitizeLine(waitingText(waiting).slice(0, SHOWN)),
    until: (status === "running" && waiting?.until) || null,
    action: summary.action,
    iteration: summary.iteration,
    maxIterations: summary.max_iterations,
    tests: summary.tests,
    tasks: summary.tasks,
    used: summary.used,
    tags,
    updatedAt: Date.parse(summary.updated_at),
    haystack: [id, title, tags.join(" "), summary.description].join("\n").toLowerCase(),
    revision: summary.revision,
  };
}

/** The same loop, driven by nobody since then; null: somebody drives it, or need not. */
export function undrivenRow(row: LoopRow, since: string | null): LoopRow {
  if (row.undrivenSince === since) return row;
  return { ...row, undrivenSince: since, health: since === null ? "running" : "undriven" };
}
