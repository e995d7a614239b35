import { type Bound, type LoopStatus, statusText } from "@ccw-loop/core";
import type { Tone } from "../text/paint.ts";
import type { Sort } from "./order.ts";
import type { Health, LoopRow } from "./row.ts";

interface Word {
  name: string;
  short: string;
  tone: Tone;
  glyph: string;
}

export const HEALTH_WORDS: Readonly<Record<Health | "damaged", Word>> = {
  waiting: { name: "Waiting for you", short: "Waiting", tone: "warning", glyph: "?" },
  stuck: { name: "Stuck", short: "Stuck", tone: "warning", glyph: "!" },
  undriven: { name: "Not driven", short: "Not driven", tone: "warning", glyph: "▹" },
  running: { name: "Running", short: "Running", tone: "name", glyph: "▸" },
  failed: { name: "Failed", short: "Failed", tone: "bad", glyph: "✖" },
  resting: { name: "Resting", short: "Resting", tone: "plain", glyph: "○" },
  done: { name: "Done", short: "Done", tone: "good", glyph: "✔" },
  damaged: { name: "Damaged", short: "Damaged", tone: "bad", glyph: "✖" },
};

const RESTING: Partial<Record<LoopStatus, string>> = { paused: "‖", user_exit: "‖", failed: "■" };

export function glyphOf({ health, status }: LoopRow): string {
  return (health === "resting" && RESTING[status]) || HEALTH_WORDS[health].glyph;
}

/** `failed (max_iterations)`, `stopped`, `running`. */
export function rowStatus({ status, outcome, health }: LoopRow): string {
  if (health === "undriven") return "running, not driven";
  return statusText({ status, outcome: outcome === null ? undefined : { code: outcome } });
}

/** What a running loop waits for, else its status. */
export function waitWord(row: LoopRow): string {
  const [waits] =
    row.status === "running" ? (/^Waits for .*?(?= until|:|$)/.exec(row.waits ?? "") ?? []) : [];
  return waits === undefined ? rowStatus(row) : waits.toLowerCase();
}

export const BOUND_WORDS: Readonly<Record<Bound["name"], string>> = {
  iterations: "the iterations",
  time: "the time",
  turns: "the turns",
  tokens: "the tokens",
  cost: "the money",
  "no progress": "the iterations without progress",
  failures: "the failures in a row",
};

export const SORT_WORDS: Readonly<Record<Sort, string>> = {
  health: "by health",
  newest: "newest change first",
  oldest: "oldest change first",
  name: "by title",
};
