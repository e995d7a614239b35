import { type LoopState, statusWord } from "@ccw-loop/core";
import {
  collapsedRoundLine,
  currentRoundLines,
  type Paint,
  type Progress,
  roundsOf,
  sanitizeLine,
  type TonedLine,
  timeSince,
  truncateToWidth,
  upcomingLines,
  waitOf,
} from "@ccw-loop/view";

/**
 * The whole live view in at most `rows` lines: what is under way unfolded, the earlier rounds folded to a
 * line each. When it does not fit, the oldest rounds give way first, then the activity.
 */
export function frameOf(progress: Progress, now: Date, rows: number): TonedLine[] {
  const { state, activity } = progress;
  const rounds = roundsOf(progress.steps);
  const ended = state.status === "completed" || state.status === "failed";
  const current = ended ? undefined : rounds.at(-1);
  const earlier = (current ? rounds.slice(0, -1) : rounds).map(collapsedRoundLine);
  const head = headLines(state, now);
  const body = current ? currentRoundLines(current, now) : [];
  const tail = ended ? [] : upcomingLines(state, current);
  const room = Math.max(0, rows - head.length - body.length - tail.length);
  // Which action it is stands above already.
  const shown = activity.lines.filter(({ tone }) => tone !== "strong").slice(-Math.min(6, room));
  const acts = shown.map(({ text }): TonedLine => ({ tone: "quiet", text: `      ${text}` }));
  const past = lastLines(earlier, room - acts.length);
  return [...head, ...past, ...body, ...acts, ...tail].slice(0, Math.max(1, rows));
}

/** A frame as text, no line wider than `columns`. */
export function renderFrame(lines: readonly TonedLine[], columns: number, paint: Paint): string {
  return lines.map(({ tone, text }) => paint(tone, truncateToWidth(text, columns))).join("\n");
}

function headLines(state: LoopState, now: Date): TonedLine[] {
  const { usage } = state;
  const waits = waitOf(state, now);
  const facts = [
    state.loop_id,
    statusWord(state),
    `${state.current_iteration} of ${state.max_iterations} iterations`,
    timeSince(state.created_at, now),
    ...(usage && usage.total_tokens > 0 ? [`${thousands(usage.total_tokens)} tokens`] : []),
  ];
  const lines: TonedLine[] = [
    { tone: "strong", text: sanitizeLine(state.title) },
    { tone: "quiet", text: facts.join(" · ") },
  ];
  if (waits !== undefined) lines.push({ tone: "warning", text: sanitizeLine(waits) });
  return lines;
}

/** The last lines that fit; one line says how many are missing. */
function lastLines(lines: TonedLine[], room: number): TonedLine[] {
  if (lines.length <= room) return lines;
  if (room <= 0) return [];
  const shown = room === 1 ? [] : lines.slice(1 - room);
  const hidden = lines.length - shown.length;
  return [{ tone: "quiet", text: `… ${hidden} earlier lines` }, ...shown];
}

function thousands(count: number): string {
  return count < 10_000 ? String(count) : `${Math.round(count / 1000)}k`;
}
