import { type LoopState, modeOf, tasksOf } from "@ccw-loop/core";
import { formatDuration } from "../text/duration.ts";
import { sanitizeLine } from "../text/inert-text.ts";
import type { Tone, TonedLine } from "../text/paint.ts";
import type { Step } from "./progress.ts";
import { type Round, roundText, statusOf, titleOf } from "./rounds.ts";

export const STEP_GLYPHS: Readonly<Record<Step["status"] | "pending", string>> = {
  done: "✔",
  failed: "✖",
  running: "▸",
  interrupted: "‖",
  pending: "○",
};

export const STEP_TONES: Readonly<Record<Step["status"], Tone>> = {
  done: "good",
  failed: "bad",
  running: "name",
  interrupted: "warning",
};

/** An earlier round in one line. */
export function collapsedRoundLine(round: Round): TonedLine {
  const status = statusOf(round);
  return { tone: STEP_TONES[status], text: `${STEP_GLYPHS[status]} ${roundText(round)}` };
}

/** The round under way: its title, and a line for each of its actions. */
export function currentRoundLines(round: Round, now: Date): TonedLine[] {
  const lines = round.steps.map((step): TonedLine => stepLine(step, now));
  if (round.first === null) return lines;
  const status = statusOf(round);
  return [
    { tone: "strong", text: `${STEP_GLYPHS[status]} ${titleOf(round)}` },
    ...lines.map(indented),
  ];
}

function indented(line: TonedLine): TonedLine {
  return { ...line, text: `  ${line.text}` };
}

function stepLine(step: Step, now: Date): TonedLine {
  const name = `${STEP_GLYPHS[step.status]} ${step.action}`;
  const since = formatDuration(Math.max(0, now.getTime() - Date.parse(step.started_at)));
  const running = [name, `[${since}]`, sanitizeLine(step.subject)];
  const ended = [name, sanitizeLine(step.result || step.subject)];
  const parts = step.status === "running" ? running : ended;
  return { tone: STEP_TONES[step.status], text: parts.filter((part) => part !== "").join("  ") };
}

/** What the rules will choose from here if nothing fails; in interactive mode a person does. */
export function upcomingLines(state: LoopState, current: Round | undefined): TonedLine[] {
  const running = current?.steps.at(-1);
  if (running?.action === "COMPLETE" || modeOf(state) === "interactive") return [];
  const open = tasksOf(state).filter((task) => task.status === "pending").length;
  const names = [
    ...(state.skill_state ? [] : running?.action === "INIT" ? [] : ["INIT"]),
    ...(open > 0 ? [open > 1 ? `DEVELOP x${open}` : "DEVELOP"] : []),
    ...(running?.action === "VALIDATE" && running.status === "running" ? [] : ["VALIDATE"]),
    "COMPLETE",
  ];
  return names.map((name) => ({ tone: "quiet", text: `${STEP_GLYPHS.pending} ${name}` }));
}
