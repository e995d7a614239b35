import type { LoopState, Waiting } from "../state/loop-state.ts";
import { Stall } from "../state/stall.ts";
import { failureText } from "./attempted.ts";
import { isDebugDue } from "./judge-progress.ts";
import { limitsOf } from "./limits.ts";

/** How far a loop without progress has come (ADR 16). */
export interface StallLevel {
  /** `escalate`: the agent is asked for another approach. `debug`: a cause is looked for before the next repair. `wait`: a person is asked. */
  level: "none" | "escalate" | "debug" | "wait";
  stalled: number;
  idle: number;
  /** The `stalled` that it may not reach. */
  max: number;
}

export function stallLevelOf(state: LoopState): StallLevel {
  const { max_stalled: max } = limitsOf(state);
  const stall = state.stall ?? Stall.parse({});
  const { stalled, idle } = stall;
  const waits = stalled >= max || idle >= Math.max(5, Math.ceil(max / 3));
  const escalates =
    stalled >= Math.ceil(max * 0.4) || idle >= Math.max(2, Math.ceil((max * 2) / 15));
  const level = waits ? "wait" : isDebugDue(stall, max) ? "debug" : escalates ? "escalate" : "none";
  return { level, stalled, idle, max };
}

/** What a person is asked when nothing helps: what was tried, and what stayed the same. */
export function noProgressWaiting(state: LoopState, at: string): Waiting {
  const tried = state.stall?.tried ?? [];
  const prompt = [
    `${stallText(state)} What stayed the same: ${failureText(state).replace(/\.$/, "")}.`,
    "Tried:",
    ...tried.map((one) => `- ${one.iteration}. ${one.action}: ${one.text}`),
    "Say what to do differently; the next prompt tells it to the agent.",
  ].join("\n");
  return { kind: "no_progress", since: at, prompt };
}

/** One sentence on how long nothing has come of it. */
export function stallText(state: LoopState): string {
  const { stalled, idle, max } = stallLevelOf(state);
  const row = idle > 1 ? `; the last ${idle} in a row brought nothing new at all` : "";
  return `No progress for ${stalled} of at most ${max} iterations${row}.`;
}
