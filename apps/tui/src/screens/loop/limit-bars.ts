import { dollars, type LoopState, limitsOf, stallLevelOf } from "@ccw-loop/core";
import { formatDuration } from "@ccw-loop/view";
import { bar } from "../../frame/gauge.ts";
import { fit, type Line, span } from "../../frame/line.ts";

interface Used {
  name: string;
  used: number;
  bound: number;
  text: string;
}

/** A bar takes at least so many columns with its name and its figures. */
const NARROWEST = 24;

/** What is used of every bound, as bars; the fullest ones where there is not room for all. */
export function limitBars(state: LoopState, now: number, columns: number, rows: number): Line[] {
  const each = Math.max(1, Math.floor(columns / NARROWEST));
  const width = Math.floor(columns / each);
  const all = usedOf(state, now);
  const fullest = all.toSorted((a, b) => shareOf(b) - shareOf(a)).slice(0, each * rows);
  const shown = all.filter((one) => fullest.includes(one));
  return Array.from({ length: Math.ceil(shown.length / each) }, (_, row) =>
    shown.slice(row * each, (row + 1) * each).flatMap((one) => cell(one, width)),
  );
}

function cell({ name, used, bound, text }: Used, width: number): Line {
  const figures = ` ${text}`;
  const columns = Math.max(3, Math.min(12, width - name.length - 2 - figures.length));
  return fit([span(`${name} `, "quiet"), ...bar(used, bound, columns), span(figures)], width);
}

function usedOf(state: LoopState, now: number): Used[] {
  const limits = limitsOf(state);
  const { usage, current_iteration: iterations, max_iterations: most } = state;
  const work = (usage?.active_ms ?? 0) + runningMs(state, now);
  const { turns = 0, total_tokens = 0, cost_usd = 0 } = usage ?? {};
  const { stalled } = stallLevelOf(state);
  const cost = limits.max_cost_usd;
  const of = (
    name: string,
    used: number,
    bound: number,
    words: (value: number) => string = String,
  ): Used => {
    return { name, used, bound, text: `${words(used)}/${words(bound)}` };
  };
  return [
    of("iterations", iterations, most),
    of("time", work, limits.max_duration_ms, formatDuration),
    of("tokens", total_tokens, limits.max_tokens, short),
    of("turns", turns, limits.max_turns),
    ...(cost === undefined ? [] : [of("cost", cost_usd, cost, dollars)]),
    of("standstill", stalled, limits.max_stalled),
  ];
}

function shareOf({ used, bound }: Used): number {
  return bound <= 0 ? 1 : used / bound;
}

/** Work is counted when an action ends; until then its clock runs on. */
function runningMs({ status, action, waiting }: LoopState, now: number): number {
  const runs = status === "running" && action && action.interrupted === null && !waiting;
  return runs ? Math.max(0, now - Date.parse(action.started_at)) : 0;
}

/** `812`, `48k`, `1.2M`. */
function short(count: number): string {
  if (count < 10_000) return String(count);
  if (count < 1_000_000) return `${Math.round(count / 1000)}k`;
  return `${Math.round(count / 100_000) / 10}M`;
}
