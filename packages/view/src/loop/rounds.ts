import { type LoopState, modeOf, tasksOf } from "@ccw-loop/core";
import { timeSince } from "../text/amounts.ts";
import type { Tone, TonedLine } from "../text/paint.ts";
import { sanitizeLine } from "../text/sanitize.ts";
import type { Step } from "./progress.ts";

/** Steps that belong together: INIT alone, COMPLETE alone, and work up to the VALIDATE that judges it. */
export type Round = readonly Step[];

/** All steps, grouped. Only the last round may still be under way. */
export function roundsOf(steps: readonly Step[]): Round[] {
  const groups: Step[][] = [];
  let closed = true;
  for (const step of steps) {
    const group = closed || step.iteration === null ? undefined : groups.at(-1);
    if (group) group.push(step);
    else groups.push([step]);
    const judged = step.action === "VALIDATE" && ["done", "failed"].includes(step.status);
    closed = step.iteration === null || judged;
  }
  return groups;
}

/** A round in one line: `Iterations 1-3: DEVELOP x2 + VALIDATE (fail)`. */
export function roundText(round: Round): string {
  const parts: { action: string; count: number; note: string }[] = [];
  for (const step of round) {
    const note = noteOf(step);
    const last = parts.at(-1);
    if (last?.action === step.action && last.note === note) last.count += 1;
    else parts.push({ action: step.action, count: 1, note });
  }
  const text = parts
    .map(({ action, count, note }) => `${action}${count > 1 ? ` x${count}` : ""}${note}`)
    .join(" + ");
  const title = titleOf(round);
  return title === null ? text : `${title}: ${text}`;
}

/** Null for INIT and COMPLETE. */
function titleOf(round: Round): string | null {
  const first = round[0]?.iteration ?? null;
  const last = round.at(-1)?.iteration;
  if (first === null) return null;
  return first === last ? `Iteration ${first}` : `Iterations ${first}-${last}`;
}

function noteOf(step: Step): string {
  if (step.action === "VALIDATE" && step.status === "done") return " (pass)";
  if (step.action === "VALIDATE" && step.status === "failed") return " (fail)";
  return step.status === "failed" || step.status === "interrupted" ? ` (${step.status})` : "";
}

/** How a whole round came out: as its last step did. */
function statusOf(round: Round): Step["status"] {
  return round.at(-1)?.status ?? "done";
}

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

export function collapsedRoundLine(round: Round): TonedLine {
  const status = statusOf(round);
  return { tone: STEP_TONES[status], text: `${STEP_GLYPHS[status]} ${roundText(round)}` };
}

/** The round under way: its title, and a line for each of its actions. */
export function currentRoundLines(round: Round, now: Date): TonedLine[] {
  const lines = round.map((step) => stepLine(step, now));
  const title = titleOf(round);
  if (title === null) return lines;
  return [
    { tone: "strong", text: `${STEP_GLYPHS[statusOf(round)]} ${title}` },
    ...lines.map(({ tone, text }) => ({ tone, text: `  ${text}` })),
  ];
}

function stepLine(step: Step, now: Date): TonedLine {
  const name = `${STEP_GLYPHS[step.status]} ${step.action}`;
  const running = [name, `[${timeSince(step.started_at, now)}]`, sanitizeLine(step.subject)];
  const ended = [name, sanitizeLine(step.result || step.subject)];
  const parts = step.status === "running" ? running : ended;
  return { tone: STEP_TONES[step.status], text: parts.filter((part) => part !== "").join("  ") };
}

/** What the rules will choose from here if nothing fails; in interactive mode a person does. */
export function upcomingLines(state: LoopState, current: Round | undefined): TonedLine[] {
  const running = current?.at(-1);
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
