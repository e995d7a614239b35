import type { Activity as ActivityRecord } from "@ccw-loop/core";
import { sanitizeText } from "../text/inert-text.ts";
import type { Tone, TonedLine } from "../text/paint.ts";
import { agentLine, isResult, outputOf } from "./agent-lines.ts";

/** What was printed or said and is no whole line yet. */
export interface OpenLine {
  /** Whose text it is; null while nobody is in the middle of something. */
  of: "message" | "output" | null;
  /** As it came: a control sequence or a line break may be cut in it. */
  text: string;
  /** Nothing of this message was told yet, so it may still turn out to be a result. */
  first: boolean;
  /** The message is a result for the orchestrator from here on, nothing to read. */
  muted: boolean;
}

export const noOpenLine: OpenLine = { of: null, text: "", first: true, muted: false };

/** In UTF-16 units. */
const LINE_LENGTH = 500;
/** Control sequences count in what came, not in what is shown. */
const RAW_LENGTH = 4 * LINE_LENGTH;
/** A `\r\n` that is cut in two makes a blank line more, and those are left out. */
const BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;
const TONES: Readonly<Record<"message" | "output", Tone>> = { message: "plain", output: "quiet" };

/**
 * What is open after one more record; every line that it ends goes to `tell`, harmless and at most 500 long. Text may come in any pieces: they make
 * the same lines. Blank lines and results (ACTION_RESULT) are left out.
 */
export function withRecord(
  before: OpenLine,
  { event }: ActivityRecord,
  tell: (line: TonedLine) => void,
): OpenLine {
  if (event.type === "usage.updated" || event.type === "limits.updated") return before;
  if (event.type === "message.delta") return withPiece(before, "message", event.text, tell);
  const output = outputOf(event);
  if (output !== undefined) return withPiece(before, "output", output, tell);
  // A message is told piece by piece; whole only where its pieces were not seen.
  const isUnheard = event.type === "message.completed" && before.of !== "message";
  end(isUnheard ? withPiece(before, "message", event.text, tell) : before, tell);
  const line = agentLine(event);
  if (line) tell({ tone: line.tone, text: shown(line.text).replaceAll("\n", " ") });
  return noOpenLine;
}

/** The line that is still being written, as far as it can be shown. */
export function openLineText({ of, text, first, muted }: OpenLine): TonedLine | undefined {
  if (of === null || muted) return undefined;
  const seen = shown(text);
  if (seen.trim() === "" || (of === "message" && mayBeResult(seen, first))) return undefined;
  return { tone: TONES[of], text: seen };
}

function withPiece(
  before: OpenLine,
  of: "message" | "output",
  piece: string,
  tell: (line: TonedLine) => void,
): OpenLine {
  if (before.of !== of) end(before, tell);
  let open = before.of === of ? before : { ...noOpenLine, of };
  if (open.muted) return open;
  const parts = (open.text + piece).split(BREAK);
  const last = parts.pop() ?? "";
  for (const part of parts) open = ended({ ...open, text: part }, tell);
  return { ...open, text: copy(last.slice(0, RAW_LENGTH)) };
}

function end(open: OpenLine, tell: (line: TonedLine) => void): void {
  if (open.text !== "") ended(open, tell);
}

function ended(open: OpenLine, tell: (line: TonedLine) => void): OpenLine {
  const { of, first } = open;
  if (of === null || open.muted) return open;
  const text = shown(open.text);
  if (text.trim() === "") return open;
  if (of === "message" && isResultLine(text, first)) return { ...open, muted: true };
  tell({ tone: TONES[of], text });
  return { ...open, first: false };
}

/** A message is a result as a whole, or ends with a block under this heading. */
function isResultLine(line: string, first: boolean): boolean {
  return first ? isResult(line) : /^[*_#\s]*ACTION_RESULT\b/.test(line);
}

/** A line of which more will come is held back while it may become the beginning of a result. */
function mayBeResult(line: string, first: boolean): boolean {
  if (isResultLine(line, first)) return true;
  if (first && /^\s*`{1,2}$/.test(line)) return true;
  return "ACTION_RESULT".startsWith(line.replace(/^[*_#\s]*/, ""));
}

function shown(raw: string): string {
  const text = sanitizeText(raw.slice(0, RAW_LENGTH)).replaceAll("\t", "  ");
  return copy(text.slice(0, LINE_LENGTH));
}

/** A part of a text keeps the whole of it in memory; a copy does not. */
function copy(part: string): string {
  return ` ${part}`.slice(1);
}
