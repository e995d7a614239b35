import { type ActionInFlight, type LoopState, selectNextAction } from "@ccw-loop/core";
import { formatDuration, type Progress, STEP_GLYPHS, STEP_TONES, type Step } from "@ccw-loop/view";
import { type Line, lineWidth, type Span, span } from "../../frame/line.ts";

/** The documented sequence (DESIGN §5). */
const SEQUENCE = ["INIT", "DEVELOP", "DEBUG", "VALIDATE", "COMPLETE"] as const;

/** The sequence with where the loop is in it; shorter words where there is no room for all. */
export function sequenceLine(progress: Progress, now: number, columns: number): Line {
  const whole = rail(progress, now, " → ");
  return lineWidth(whole) <= columns
    ? whole
    : rail({ ...progress, steps: folded(progress) }, now, " ");
}

/** Where it is, in words. */
export function railText({ state, steps }: Progress, now: number): string {
  const step = steps.at(-1);
  if (step?.status === "running" && state.action) return runningText(step, state.action, now);
  const { action } = selectNextAction(state);
  return action === null ? "No action runs." : `${action} is next.`;
}

function runningText(step: Step, { attempt }: ActionInFlight, now: number): string {
  const again = attempt > 1 ? `, attempt ${attempt}` : "";
  const since = formatDuration(Math.max(0, now - Date.parse(step.started_at)));
  return `${step.action} runs for ${since}${again}.`;
}

/** Without how often each one was done. */
function folded({ steps }: Progress): Step[] {
  return SEQUENCE.flatMap((name) => steps.findLast(({ action }) => action === name) ?? []);
}

function rail(progress: Progress, now: number, arrow: string): Line {
  return SEQUENCE.flatMap((name, i): Line => {
    const before = i === 0 ? [] : [span(arrow, "quiet")];
    const own = progress.steps.filter(({ action }) => action === name);
    const last = own.at(-1);
    if (!last) return [...before, untold(name, progress.state)];
    const status = statusOf(last, progress.state);
    const times = own.length > 1 ? ` ×${own.length}` : "";
    const word = span(`${STEP_GLYPHS[status]} ${name}${times}`, STEP_TONES[status]);
    const runs = status === "running" ? [span(runningFor(last, progress, now), "name")] : [];
    return [...before, word, ...runs];
  });
}

/** An action of which the history tells nothing: to come, next, or done before the history begins. */
function untold(name: (typeof SEQUENCE)[number], state: LoopState): Span {
  if (state.skill_state?.completed_actions.includes(name)) {
    return span(`${STEP_GLYPHS.done} ${name}`, "good");
  }
  const isNext = state.status === "running" && selectNextAction(state).action === name;
  return isNext ? span(`› ${name}`, "strong") : span(`${STEP_GLYPHS.pending} ${name}`, "quiet");
}

/** COMPLETE also ends a loop that failed; an action of a loop that rests does not run. */
function statusOf({ action, status }: Step, state: LoopState): Step["status"] {
  if (action === "COMPLETE" && status === "done" && state.status === "failed") return "failed";
  return status === "running" && state.status !== "running" ? "interrupted" : status;
}

/** How long the action under way takes already, and which attempt it is. */
function runningFor(step: Step, { state }: Progress, now: number): string {
  const since = formatDuration(Math.max(0, now - Date.parse(step.started_at)));
  const attempt = state.action?.attempt ?? 1;
  return attempt > 1 ? ` ${since} (attempt ${attempt})` : ` ${since}`;
}
