import type { Activity as ActivityRecord } from "@ccw-loop/core";
import { inertLine, inertText } from "../text/inert-text.ts";
import { agentLine, isResult, outputOf } from "./agent-lines.ts";

/** The end of what the agent or the tests do right now; bounded, whatever they print. */
export interface Activity {
  lines: readonly string[];
  /** The last line is still being written. */
  open: boolean;
  /** The message under way is a result for the orchestrator, nothing to read. */
  muted: boolean;
}

export const noActivity: Activity = { lines: [], open: false, muted: false };

const LINES_KEPT = 12;
const LINE_LENGTH = 500;

/** The activity after one more record. */
export function withActivity(before: Activity, { event }: ActivityRecord): Activity {
  const line = agentLine(event);
  if (line) return added(before, line.text);
  if (event.type === "message.delta") return said(before, event.text);
  const output = outputOf(event);
  return output === undefined
    ? { ...before, open: false, muted: false }
    : continued(before, output);
}

function added(before: Activity, text: string): Activity {
  const line = inertLine(text.slice(0, LINE_LENGTH));
  return { ...before, lines: kept([...before.lines, line]), open: false };
}

/** Messages stream in; an ACTION_RESULT among them is left out. */
function said(before: Activity, text: string): Activity {
  const muted = before.muted || (!before.open && isResult(text));
  return muted ? { ...before, muted } : continued(before, text);
}

/** Output arrives in pieces that end anywhere: it goes on in the line that is still open. */
function continued(before: Activity, text: string): Activity {
  const [first = "", ...rest] = inertText(text.slice(-LINES_KEPT * LINE_LENGTH)).split("\n");
  const open = before.open ? (before.lines.at(-1) ?? "") : "";
  const done = before.open ? before.lines.slice(0, -1) : before.lines;
  const lines = [open + first, ...rest].map((line) => line.slice(0, LINE_LENGTH));
  const ended = lines.slice(0, -1).filter((line) => line.trim() !== "");
  const last = lines.at(-1) ?? "";
  return { ...before, lines: kept([...done, ...ended, last]), open: true };
}

function kept(lines: readonly string[]): readonly string[] {
  return lines.slice(-LINES_KEPT);
}
