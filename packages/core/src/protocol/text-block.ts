import {
  actionOf,
  type FoundResult,
  firstWord,
  isPlaceholder,
  resultOf,
  statusOf,
} from "./action-result.ts";
import { FIELDS, HEADINGS, itemStarts, withLineEnds } from "./inline-marks.ts";
import type { Span } from "./json-objects.ts";
import { type KeyLine, keyLine, listedPath, messageText } from "./lines.ts";

type Field = "action" | "status" | "message" | "state_updates";

/** A block while its lines are being read; every value is an offset pair. */
interface Draft {
  end: number;
  fields: Partial<Record<Field, Span>>;
  open: Field | undefined;
  files: string[] | undefined;
  inFiles: boolean;
  /** The next action was named, the last line of a block: only a list of files may stand behind it. */
  ended: boolean;
  filesLast: boolean;
}

/**
 * Reads the text form of ACTION_RESULT, whatever became of its line ends. `last` is the last block that names an
 * action and a status; `problem` says why the others do not count. Linear on any input: a line belongs to one block,
 * and is read at most twice.
 */
export function lastTextBlock(text: string): { last: FoundResult | undefined; problem: string } {
  const lines = withLineEnds(text, HEADINGS);
  const found = headings(lines);
  for (const [i, { start, end }] of [...found.entries()].reverse()) {
    const last = readBlock(lines.slice(end, found[i + 1]?.start));
    if (last) {
      const span = { start, end: end + last.end };
      return { last: { ...last, span }, problem: "" };
    }
  }
  const problem =
    found.length > 0
      ? "The ACTION_RESULT names no valid action and status."
      : "The answer has no ACTION_RESULT.";
  return { last: undefined, problem };
}

function headings(text: string): Span[] {
  const found: Span[] = [];
  eachLine(text, (start, end) => {
    const line = keyLine(text, start, end);
    if (line?.key === "action_result") found.push({ start, end: line.value });
  });
  return found;
}

function eachLine(text: string, use: (start: number, end: number) => void): void {
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf("\n", at);
    const stop = newline === -1 ? text.length : newline;
    use(at, stop > at && text[stop - 1] === "\r" ? stop - 1 : stop);
    at = stop + 1;
  }
}

type Block = Omit<FoundResult, "span"> & { end: number };

/**
 * What stands behind a heading. Each field on a line of its own is how it was asked for, and then whatever a message says
 * is the message. Only what no line begins with is looked for inside of the lines.
 */
function readBlock(text: string): Block | undefined {
  const draft = readLines(text);
  const block = finishBlock(text, draft);
  if (block && isWhole(draft)) return block;
  const lines = withLineEnds(text, FIELDS);
  if (lines === text) return block;
  // Of the text as it was: a message may speak of a field that the block has already.
  return finishBlock(text, readLines(lines)) ?? block;
}

function isWhole({ fields, files, ended, filesLast }: Draft): boolean {
  const parts = [fields.message, fields.state_updates, files];
  return ended && !filesLast && parts.every((part) => part !== undefined);
}

function readLines(text: string): Draft {
  const draft: Draft = {
    end: 0,
    fields: {},
    open: undefined,
    files: undefined,
    inFiles: false,
    ended: false,
    filesLast: false,
  };
  eachLine(text, (start, end) => {
    // The first line is the rest of the heading's.
    if (start > 0) readLine(text, draft, { start, end });
  });
  return draft;
}

function readLine(text: string, draft: Draft, { start, end }: Span): void {
  const found = keyLine(text, start, end);
  if (found?.key === "next_action_needed") {
    closeField(draft, start);
    draft.inFiles = false;
    const next = text.slice(found.value, end);
    // Not by a template's `{ACTION_NAME}`.
    draft.ended ||= next.trim() === "" || firstWord(next) !== undefined;
    draft.end = end;
  } else if (found?.key === "files_updated" && !draft.files) {
    closeField(draft, start);
    draft.inFiles = true;
    draft.filesLast = draft.ended;
    draft.files = [];
    draft.end = end;
    const items = text.slice(found.value, end).replace(/^[ \t]+/, "");
    if (listedPath(items) !== undefined) readFiles(draft, items, end);
  } else if (found && isField(found.key) && !draft.ended && !draft.fields[found.key]) {
    closeField(draft, start);
    draft.inFiles = false;
    draft.fields[found.key] = { start: found.value, end };
    draft.open = found.key;
    draft.end = end;
  } else if (draft.inFiles) {
    readFiles(draft, text.slice(start, end), end);
  }
}

function isField(key: KeyLine["key"]): key is Field {
  return key === "action" || key === "status" || key === "message" || key === "state_updates";
}

/** The open field ends where another line begins. */
function closeField(draft: Draft, at: number): void {
  const field = draft.open && draft.fields[draft.open];
  if (field && (draft.open === "message" || draft.open === "state_updates")) field.end = at;
  draft.open = undefined;
}

function readFiles(draft: Draft, line: string, end: number): void {
  const starts = itemStarts(line);
  for (const [i, at] of starts.entries()) {
    const item = line.slice(at, starts[i + 1]);
    const path = listedPath(item);
    if (path) draft.files?.push(path);
    if (path === undefined && item.trim() !== "") draft.inFiles = false;
    else if (path !== undefined) draft.end = end;
  }
}

function finishBlock(text: string, draft: Draft): Block | undefined {
  const textOf = (field: Field): string => {
    const span = draft.fields[field];
    return span ? text.slice(span.start, span.end) : "";
  };
  const action = actionOf(textOf("action"));
  const status = statusOf(textOf("status"));
  if (!action || !status) return undefined;
  const end = draft.open === "state_updates" ? text.length : draft.end;
  closeField(draft, text.length);
  if (isPlaceholder(textOf("message"))) return undefined;
  const found = resultOf({
    action,
    status,
    message: messageText(textOf("message")),
    state_updates: textOf("state_updates"),
    files_updated: draft.files ?? [],
  });
  return { end, ...found };
}
