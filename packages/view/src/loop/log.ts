import {
  type Activity,
  firstOf,
  type LeftOut,
  type LiveEvent,
  type LoopEvent,
  type LoopEventOf,
  type LoopState,
  outsideText,
  type Receipt,
  taskText,
  unknownTestsOf,
  type Waiting,
} from "@ccw-loop/core";
import { formatDuration } from "../text/amounts.ts";
import type { Tone } from "../text/paint.ts";
import { sanitizeLine } from "../text/sanitize.ts";
import { agentLine, isResult } from "./activity.ts";
import { interruptionText, type Progress } from "./progress.ts";
import { baselineText, countsText } from "./proof.ts";

/** One thing that happened, for a log that people read. */
export interface LogEntry {
  at: string;
  text: string;
  tone: Tone;
}

/** The fact that an event is for a reader, or undefined for what only programs need. `after` includes it. */
export function logEntryOf(live: LiveEvent, after: Progress): LogEntry | undefined {
  const at = live.kind === "recorded" ? live.recorded.event.at : live.activity.at;
  const said =
    live.kind === "recorded"
      ? recordedFact(live.recorded.event, after)
      : activityFact(live.activity.event);
  return said && { at, tone: said[0], text: sanitizeLine(said[1]) };
}

type TonedText = [Tone, string] | undefined;

function recordedFact(event: LoopEvent, { state, steps, leftOut }: Progress): TonedText {
  const step = steps.at(-1);
  switch (event.type) {
    case "loop.created":
      return ["strong", `Created: ${event.loop.title}`];
    case "loop.started":
      return ["strong", "Started"];
    case "loop.resumed":
      return ["strong", event.reopened ? "Resumed after its end" : "Resumed"];
    case "loop.paused":
      return ["warning", withReason("Paused", event.reason)];
    case "loop.stopped":
      return ["bad", withReason("Stopped", event.reason)];
    case "loop.exited":
      return ["warning", "Exited from the menu"];
    case "loop.edited":
      return ["quiet", `Edited: ${Object.keys(event.changes).join(", ")}`];
    case "loop.completed":
      return ["good", `Completed: ${event.outcome.message}`];
    case "loop.failed":
      return ["bad", `Failed (${event.outcome.code}): ${event.outcome.message}`];
    case "task.added":
      return ["plain", `Task ${event.task.id} added: ${taskText(event.task)}`];
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
      return ["warning", `${event.action} interrupted: ${interruptionText(event.reason)}`];
    case "waiting.started":
      return ["warning", waitingText(event.waiting)];
    case "waiting.ended":
      return ["plain", `Goes on: ${event.reason}`];
    case "baseline.measured":
      return [
        unknownTestsOf({ ...state, baseline: event.baseline }).length > 0 ? "warning" : "quiet",
        baselineText(event.baseline, state),
      ];
    case "checkpoint.made":
      return leftOut.length === 0
        ? undefined
        : ["warning", `Not kept in checkpoints: ${firstOf(leftOut, 5)}`];
    case "objections.accepted":
      return ["warning", `Accepted: ${event.keys.length} objections to the proof`];
    case "receipt.refused":
      return ["bad", event.reason];
    case "worktree.made":
      return ["warning", worktreeText(event)];
    case "workspace.changed":
      return ["warning", outsideText(event.total, event.files)];
    case "files.left_out":
      return ["warning", event.files.map(leftOutFileText).join(". ")];
    case "loop.rewound":
      return ["warning", `Rewound to checkpoint ${event.to}`];
    case "external.edited":
      return ["warning", "The state file was edited by another program"];
    case "loop.recovered":
      return ["warning", "Recovered"];
    case "agent.limited":
      return ["warning", limitedText(event)];
    case "agent.attached":
    case "evidence.recorded":
    case "turn.measured":
    case "turn.completed":
    case "workspace.measured":
    case "workspace.restored":
      return undefined;
  }
}

function limitedText({ agent, until, instead }: LoopEventOf<"agent.limited">): string {
  const limited = `${agent} is at its usage limit until ${until}`;
  return instead === undefined ? limited : `${limited}; ${instead} goes on`;
}

function leftOutFileText({ path, why }: LeftOut): string {
  const reason =
    why === "output"
      ? "what ccw-loop prints goes there"
      : "it changes again and again while nothing of this loop runs";
  return `${path} is left out of what is measured, kept and proven: ${reason}`;
}

/** A worktree that nobody asked for begins at the last commit, which is not what lies in the folder. */
function worktreeText(event: LoopEventOf<"worktree.made">): string {
  const { path, branch, reason, machine, setup, tree } = event;
  const where = `Works in ${path}, on the branch ${branch}`;
  if (machine !== undefined) {
    const why = reason === undefined ? "" : `, because ${reason}`;
    const how = typeof tree === "string" ? ", from the newest checkpoint" : "";
    const ran = setup === undefined ? "" : `. There it ran: ${setup.command}`;
    return `Works on ${machine} in ${path}${how}, on the branch ${branch}${why}${ran}`;
  }
  if (reason === undefined) return where;
  return `${where}, because ${reason}. It begins at the last commit: changes that are not committed are not there`;
}

function startOf(event: LoopEventOf<"action.started">, subject?: string): string {
  const again = event.attempt > 1 ? ` again (attempt ${event.attempt})` : "";
  return `${event.action} started${again}${subject ? `, ${subject}` : ""}`;
}

function completedFact(event: LoopEventOf<"action.completed">, state: LoopState): TonedText {
  const receipt = event.action === "VALIDATE" ? state.receipts?.at(-1) : undefined;
  // How the loop ends is told by the next line, in the same words.
  if (event.action === "COMPLETE") return ["good", "COMPLETE done"];
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

/** What is waited for, as a state has it, or a summary. */
interface Wait {
  kind: Waiting["kind"];
  until?: string | undefined;
  prompt?: string | undefined;
  about?: string | undefined;
}

/** On one line, with a countdown where `now` is given. Of a question of many lines, which is shown whole elsewhere, the first. */
export function waitingText(waiting: Wait, now?: Date): string {
  const left = now && countdown(waiting, now);
  const { kind } = waiting;
  const until = waiting.until ? ` until ${waiting.until}${left ? ` (${left})` : ""}` : "";
  const first = waiting.prompt?.split("\n", 1)[0]?.replace(/:$/, ".");
  const prompt = hasLongQuestion(waiting) ? first : waiting.prompt;
  const asked = prompt ? `: ${prompt}` : "";
  return `Waits for ${kind === "no_progress" ? "a person" : kind.replace("_", " ")}${until}${asked}`;
}

/** What a loop waits for; a paused one does not go on when the time comes, so nothing is counted down. */
export function waitOf({ status, waiting }: LoopState, now: Date): string | undefined {
  return waiting && waitingText(waiting, status === "running" ? now : undefined);
}

/** `in 4m 10s`, `now` when it is due; undefined for what time alone does not end. */
export function countdown({ until }: Wait, now: Date): string | undefined {
  if (until === undefined) return undefined;
  const left = Date.parse(until) - now.getTime();
  return left > 0 ? `in ${formatDuration(Math.max(1000, left))}` : "now";
}

/** Whether the question lists things: what is objected to, what was tried. */
export function hasLongQuestion({ about, kind }: Wait): boolean {
  return about === "objections" || about === "review" || kind === "no_progress";
}

function withReason(text: string, reason: string | undefined): string {
  return reason === undefined ? text : `${text}: ${reason}`;
}

const ACTIVITY_LENGTH = 200;

/** Of the agent's doings only whole lines, because output would drown them, and no result: its action tells it. */
function activityFact(event: Activity["event"]): TonedText {
  if (event.type === "message.completed") {
    return isResult(event.text) ? undefined : ["quiet", bounded(event.text)];
  }
  const line = agentLine(event);
  return line && [line.tone === "name" ? "quiet" : line.tone, bounded(line.text)];
}

function bounded(text: string): string {
  return text.length > ACTIVITY_LENGTH ? `${text.slice(0, ACTIVITY_LENGTH)}…` : text;
}
