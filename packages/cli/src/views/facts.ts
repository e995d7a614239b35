import type { LoopEvent, LoopState, Receipt, Waiting } from "@ccw-loop/core";
import type { Activity, LiveEvent } from "@ccw-loop/orchestrator";
import { inertLine } from "../text/inert-text.ts";
import type { Tone } from "../text/paint.ts";
import { agentLine, isResult } from "./agent-lines.ts";
import type { Progress } from "./progress.ts";

/** One thing that happened, for a log that people read. */
export interface Fact {
  at: string;
  text: string;
  tone: Tone;
}

/** The fact that an event is for a reader, or undefined for what only programs need. `after` includes it. */
export function factOf(live: LiveEvent, after: Progress): Fact | undefined {
  const at = live.kind === "recorded" ? live.recorded.event.at : live.activity.at;
  const said =
    live.kind === "recorded"
      ? recordedFact(live.recorded.event, after)
      : activityFact(live.activity.event);
  return said && { at, tone: said[0], text: inertLine(said[1]) };
}

type Said = [Tone, string] | undefined;

function recordedFact(event: LoopEvent, { state, steps }: Progress): Said {
  const step = steps.at(-1);
  switch (event.type) {
    case "loop.created":
      return ["strong", `Created: ${event.loop.title}`];
    case "loop.started":
      return ["strong", "Started"];
    case "loop.resumed":
      return ["strong", event.reopened ? "Resumed after its end" : "Resumed"];
    case "loop.paused":
      return ["care", withReason("Paused", event.reason)];
    case "loop.stopped":
      return ["bad", withReason("Stopped", event.reason)];
    case "loop.exited":
      return ["care", "Left from the menu"];
    case "loop.edited":
      return ["quiet", `Edited: ${Object.keys(event.changes).join(", ")}`];
    case "loop.completed":
      return ["good", `Completed: ${event.outcome.message}`];
    case "loop.failed":
      return ["bad", `Failed (${event.outcome.code}): ${event.outcome.message}`];
    case "task.added":
      return ["plain", `Task ${event.task.id} added: ${event.task.description}`];
    case "task.edited":
      return ["plain", `Task ${event.task_id} edited`];
    case "task.removed":
      return ["plain", `Task ${event.task_id} removed`];
    case "tasks.reordered":
      return ["plain", "Tasks reordered"];
    case "action.chosen":
      return ["plain", `${event.action} chosen`];
    case "action.started":
      return event.action === "MENU" ? undefined : ["name", startOf(event, step?.subject)];
    case "action.completed":
      return event.action === "MENU" ? undefined : completedFact(event, state);
    case "action.failed":
      return ["bad", `${event.action} failed (${event.code}): ${event.message}`];
    case "action.interrupted":
      return ["care", `${event.action} interrupted: ${event.reason}`];
    case "waiting.started":
      return ["care", waitingText(event.waiting)];
    case "waiting.ended":
      return ["plain", `Goes on: ${event.reason}`];
    case "external.edited":
      return ["care", "The state file was edited by another program"];
    case "loop.recovered":
      return ["care", "Recovered"];
    case "agent.attached":
    case "turn.completed":
    case "workspace.measured":
      return undefined;
  }
}

function startOf(event: Extract<LoopEvent, { type: "action.started" }>, subject?: string): string {
  const again = event.attempt > 1 ? ` again (attempt ${event.attempt})` : "";
  return `${event.action} started${again}${subject ? `, ${subject}` : ""}`;
}

function completedFact(
  event: Extract<LoopEvent, { type: "action.completed" }>,
  state: LoopState,
): Said {
  const receipt = event.action === "VALIDATE" ? state.receipts?.at(-1) : undefined;
  if (!receipt) return ["good", `${event.action} done: ${event.message}`];
  return [receipt.passed ? "good" : "bad", `VALIDATE ${receiptText(receipt)}`];
}

/** A receipt in one clause: `passed: npm test, 12 passed, 0 failed`. */
export function receiptText(receipt: Receipt): string {
  if (receipt.waived !== undefined) return `waived: ${receipt.waived}`;
  const { counts } = receipt;
  const tests = counts.total > 0 ? `, ${countsText(counts)}` : "";
  const reason = receipt.passed ? "" : ` (${receipt.reason})`;
  return `${receipt.passed ? "passed" : "failed"}: ${receipt.command}${tests}${reason}`;
}

export function countsText(counts: Receipt["counts"]): string {
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : "";
  return `${counts.passed} passed, ${counts.failed} failed${skipped}`;
}

export function waitingText(waiting: Waiting): string {
  const until = waiting.until ? ` until ${waiting.until}` : "";
  const prompt = waiting.prompt ? `: ${waiting.prompt}` : "";
  return `Waits for ${waiting.kind.replace("_", " ")}${until}${prompt}`;
}

function withReason(text: string, reason: string | undefined): string {
  return reason === undefined ? text : `${text}: ${reason}`;
}

const ACTIVITY_LENGTH = 200;

/** Of the agent's doings only whole lines, because output would drown them, and no result: its action tells it. */
function activityFact(event: Activity["event"]): Said {
  if (event.type === "message.completed") {
    return isResult(event.text) ? undefined : ["quiet", bounded(event.text)];
  }
  const line = agentLine(event);
  return line && [line.tone === "name" ? "quiet" : line.tone, bounded(line.text)];
}

function bounded(text: string): string {
  return text.length > ACTIVITY_LENGTH ? `${text.slice(0, ACTIVITY_LENGTH)}…` : text;
}
