import type { Activity } from "@ccw-loop/core";
import { formatDuration } from "../text/amounts.ts";
import type { Tone, TonedLine } from "../text/paint.ts";
import { sanitizeText } from "../text/sanitize.ts";

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
  { event }: Activity,
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

/** The newest lines of what the agent and the tests do; bounded, whatever they print. */
export interface AgentLog {
  lines: readonly TonedLine[];
  /** The last one of `lines` is still being written. */
  open: boolean;
  unended: OpenLine;
  /** Lines that fell out at the top: the number of the first line kept. */
  dropped: number;
}

export const emptyAgentLog: AgentLog = { lines: [], open: false, unended: noOpenLine, dropped: 0 };

export const LINES_KEPT = 5000;

/** With a batch of records behind it; `leftOut` records before them were too many to be told. */
export function withActivity(
  log: AgentLog,
  batch: readonly Activity[],
  { kept = LINES_KEPT, leftOut = 0 } = {},
): AgentLog {
  if (batch.length === 0 && leftOut === 0) return log;
  const lines = log.lines.slice(0, log.open ? -1 : undefined);
  let { unended, dropped } = log;
  const tell = (line: TonedLine) => {
    lines.push(line);
    if (lines.length < 2 * kept) return;
    dropped += kept;
    lines.splice(0, kept);
  };
  /** An action may take several turns; its name is told once in a row. */
  const begin = (action: string) => {
    const text = `── ${action} ──`;
    if (lines.at(-1)?.text !== text) tell({ tone: "strong", text });
  };
  if (leftOut > 0) {
    tell({ tone: "warning", text: `… ${leftOut} pieces of output came too fast and are left out` });
  }
  for (const record of batch) {
    unended = withRecord(unended, record, tell);
    if (record.event.type === "prompt.sent") begin(record.action);
  }
  const open = openLineText(unended);
  if (open) lines.push(open);
  const over = Math.max(0, lines.length - kept);
  lines.splice(0, over);
  return { lines, open: open !== undefined, unended, dropped: dropped + over };
}

type AgentEvent = Activity["event"];

/** The one line that says what an agent did, or undefined for what takes more or is not worth one. */
export function agentLine(event: AgentEvent): { tone: Tone; text: string } | undefined {
  switch (event.type) {
    case "command.started":
      return { tone: "name", text: `$ ${event.command}` };
    case "files.changed":
      return { tone: "quiet", text: `changed ${event.paths.join(", ")}` };
    case "approval.answered":
      return { tone: "warning", text: `${event.decision}: ${event.request}` };
    case "turn.retried":
      return { tone: "warning", text: `trying again (${event.attempt}): ${event.reason}` };
    case "verify.progress":
      return { tone: "quiet", text: progressText(event) };
    case "warning.raised":
      return { tone: "warning", text: event.message };
    case "context.compacted":
      return { tone: "quiet", text: "the conversation was compacted" };
    default:
      return undefined;
  }
}

/** `npm test: 12 of 40 tests done, 1 failed, 31s; running: cart > half`. */
function progressText(event: Extract<AgentEvent, { type: "verify.progress" }>): string {
  const { command, done, failed, running, total, elapsed_ms } = event;
  const of = total !== undefined && total >= done ? ` of ${total}` : "";
  const tests = done === 0 && running.length === 0 ? "running" : `${done}${of} tests done`;
  const red = failed > 0 ? `, ${failed} failed` : "";
  const now = running.length > 0 ? `; running: ${running.join(", ")}` : "";
  return `${command}: ${tests}${red}, ${formatDuration(elapsed_ms)}${now}`;
}

/** A piece of what a command or the tests print; it may begin and end anywhere. */
export function outputOf(event: AgentEvent): string | undefined {
  return event.type === "command.output" || event.type === "verify.output" ? event.text : undefined;
}

/** Whether a message begins like an ACTION_RESULT, as a JSON object or as a text block. */
export function isResult(beginning: string): boolean {
  return /^\s*(\{|`{3}|[*_#\s]*ACTION_RESULT)/.test(beginning);
}

/** What a whole message says to a person: the `message` of an ACTION_RESULT, else the text itself. */
export function messageOf(text: string): string {
  if (!text.trimStart().startsWith("{")) return text;
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && "message" in value;
    return isObject && typeof value.message === "string" ? value.message : text;
  } catch {
    return text;
  }
}
