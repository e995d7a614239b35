import type { Step } from "./progress.ts";

/** Steps that belong together: INIT alone, COMPLETE alone, and work up to the VALIDATE that judges it. */
export interface Round {
  steps: readonly Step[];
  /** The first and the last iteration in it; null for INIT and COMPLETE. */
  first: number | null;
  last: number | null;
}

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
  return groups.map((group) => ({
    steps: group,
    first: group[0]?.iteration ?? null,
    last: group.at(-1)?.iteration ?? null,
  }));
}

/** A round in one line: `Iterations 1-3: DEVELOP x2 + VALIDATE (fail)`. */
export function roundText(round: Round): string {
  const parts: { action: string; count: number; note: string }[] = [];
  for (const step of round.steps) {
    const note = noteOf(step);
    const last = parts.at(-1);
    if (last?.action === step.action && last.note === note) last.count += 1;
    else parts.push({ action: step.action, count: 1, note });
  }
  const text = parts
    .map(({ action, count, note }) => `${action}${count > 1 ? ` x${count}` : ""}${note}`)
    .join(" + ");
  return round.first === null ? text : `${titleOf(round)}: ${text}`;
}

export function titleOf({ first, last }: Round): string {
  return first === last ? `Iteration ${first}` : `Iterations ${first}-${last}`;
}

function noteOf(step: Step): string {
  if (step.action === "VALIDATE" && step.status === "done") return " (pass)";
  if (step.action === "VALIDATE" && step.status === "failed") return " (fail)";
  return step.status === "failed" || step.status === "interrupted" ? ` (${step.status})` : "";
}

/** How a whole round came out: as its last step did. */
export function statusOf(round: Round): Step["status"] {
  return round.steps.at(-1)?.status ?? "done";
}
