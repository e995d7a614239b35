import { type LoopState, tasksOf } from "@ccw-loop/core";
import type { Paint, Progress, Step, Tone } from "@ccw-loop/view";
import {
  clip,
  foldedText,
  formatDuration,
  inertLine,
  modeOf,
  type Round,
  roundsOf,
  statusOf,
  titleOf,
  waitOf,
} from "@ccw-loop/view";

/** One line of a frame, plain: it is cut to the screen first and painted then. */
export interface Line {
  tone: Tone;
  text: string;
}

const GLYPHS: Readonly<Record<Step["status"] | "pending", string>> = {
  done: "✔",
  failed: "✖",
  running: "▸",
  interrupted: "‖",
  pending: "○",
};

const TONES: Readonly<Record<Step["status"], Tone>> = {
  done: "good",
  failed: "bad",
  running: "name",
  interrupted: "care",
};

/**
 * The whole live view in at most `rows` lines: what is under way unfolded, the earlier rounds folded to a
 * line each. When it does not fit, the oldest rounds give way first, then the activity.
 */
export function frameOf(progress: Progress, now: Date, rows: number): Line[] {
  const { state, activity } = progress;
  const rounds = roundsOf(progress.steps);
  const ended = state.status === "completed" || state.status === "failed";
  const current = ended ? undefined : rounds.at(-1);
  const earlier = (current ? rounds.slice(0, -1) : rounds).map(foldedLine);
  const head = headLines(state, now);
  const body = current ? unfolded(current, now) : [];
  const tail = ended ? [] : upcoming(state, current);
  const room = Math.max(0, rows - head.length - body.length - tail.length);
  const shown = activity.lines.filter((line) => line !== "").slice(-Math.min(6, room));
  const acts = shown.map((line): Line => ({ tone: "quiet", text: `      ${line}` }));
  const past = lastLines(earlier, room - acts.length);
  return [...head, ...past, ...body, ...acts, ...tail].slice(0, Math.max(1, rows));
}

/** A frame as text, no line wider than `columns`. */
export function renderFrame(lines: readonly Line[], columns: number, paint: Paint): string {
  return lines.map(({ tone, text }) => paint(tone, clip(text, columns))).join("\n");
}

function headLines(state: LoopState, now: Date): Line[] {
  const { usage } = state;
  const waits = waitOf(state, now);
  const facts = [
    state.loop_id,
    state.status,
    `${state.current_iteration} of ${state.max_iterations} iterations`,
    formatDuration(Math.max(0, now.getTime() - Date.parse(state.created_at))),
    ...(usage && usage.total_tokens > 0 ? [`${thousands(usage.total_tokens)} tokens`] : []),
  ];
  const lines: Line[] = [
    { tone: "strong", text: inertLine(state.title) },
    { tone: "quiet", text: facts.join(" · ") },
  ];
  if (waits !== undefined) lines.push({ tone: "care", text: inertLine(waits) });
  return lines;
}

function foldedLine(round: Round): Line {
  const status = statusOf(round);
  return { tone: TONES[status], text: `${GLYPHS[status]} ${foldedText(round)}` };
}

function unfolded(round: Round, now: Date): Line[] {
  const lines = round.steps.map((step): Line => stepLine(step, now));
  if (round.first === null) return lines;
  const status = statusOf(round);
  return [{ tone: "strong", text: `${GLYPHS[status]} ${titleOf(round)}` }, ...lines.map(indented)];
}

function indented(line: Line): Line {
  return { ...line, text: `  ${line.text}` };
}

function stepLine(step: Step, now: Date): Line {
  const name = `${GLYPHS[step.status]} ${step.action}`;
  const since = formatDuration(Math.max(0, now.getTime() - Date.parse(step.started_at)));
  const running = [name, `[${since}]`, inertLine(step.subject)];
  const ended = [name, inertLine(step.result || step.subject)];
  const parts = step.status === "running" ? running : ended;
  return { tone: TONES[step.status], text: parts.filter((part) => part !== "").join("  ") };
}

/** What the rules will choose from here if nothing fails; in interactive mode a person does. */
function upcoming(state: LoopState, current: Round | undefined): Line[] {
  const running = current?.steps.at(-1);
  if (running?.action === "COMPLETE" || modeOf(state) === "interactive") return [];
  const open = tasksOf(state).filter((task) => task.status === "pending").length;
  const names = [
    ...(state.skill_state ? [] : running?.action === "INIT" ? [] : ["INIT"]),
    ...(open > 0 ? [open > 1 ? `DEVELOP x${open}` : "DEVELOP"] : []),
    ...(running?.action === "VALIDATE" && running.status === "running" ? [] : ["VALIDATE"]),
    "COMPLETE",
  ];
  return names.map((name) => ({ tone: "quiet", text: `${GLYPHS.pending} ${name}` }));
}

/** The last lines that fit; one line says how many are missing. */
function lastLines(lines: Line[], room: number): Line[] {
  if (lines.length <= room) return lines;
  if (room <= 0) return [];
  const shown = room === 1 ? [] : lines.slice(1 - room);
  const hidden = lines.length - shown.length;
  return [{ tone: "quiet", text: `… ${hidden} earlier lines` }, ...shown];
}

function thousands(count: number): string {
  return count < 10_000 ? String(count) : `${Math.round(count / 1000)}k`;
}
