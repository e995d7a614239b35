import {
  actionOf,
  type FileUpdate,
  type FoundResult,
  firstWord,
  isPlaceholder,
  resultOf,
  statusOf,
} from "./action-result.ts";
import {
  type InlineMark,
  inlineBlocks,
  inlineMarks,
  itemStarts,
  opensInline,
} from "./inline-marks.ts";
import type { Span } from "./json-objects.ts";
import { fileItem, type KeyLine, keyLine, messageText } from "./lines.ts";

type Field = "action" | "status" | "message" | "state_updates";

/** A block while its lines are being read; every value is an offset pair, so no text is copied. */
interface Draft {
  start: number;
  end: number;
  fields: Partial<Record<Field, Span>>;
  open: Field | undefined;
  files: FileUpdate[] | undefined;
  inFiles: boolean;
  /** The next action was named, the last line of a block: only a list of files may stand behind it. */
  ended: boolean;
  filesLast: boolean;
}

type Heading = Pick<InlineMark, "start" | "value">;

/**
 * Reads the text form of ACTION_RESULT, whatever became of its line ends. `last` is the last block that names an
 * action and a status; `problem` says why the others do not count. Linear on any input: a line belongs to one block,
 * and is read at most twice.
 */
export function lastTextBlock(text: string): { last: FoundResult | undefined; problem: string } {
  const found = headings(text);
  for (let i = found.length - 1; i >= 0; i -= 1) {
    const heading = found[i];
    const last = heading && readBlock(text, heading, found[i + 1]?.start ?? text.length);
    if (last) return { last, problem: "" };
  }
  const problem =
    found.length > 0
      ? "The ACTION_RESULT names no valid action and status."
      : "The answer has no ACTION_RESULT.";
  return { last: undefined, problem };
}

function headings(text: string): Heading[] {
  const inline = inlineBlocks(text);
  const found: Heading[] = [];
  let next = 0;
  eachLine(text, { start: 0, end: text.length }, (start, end) => {
    const own = keyLine(text, start, end);
    if (own?.key === "action_result") found.push({ start, value: own.value });
    for (let mark = inline[next]; mark && mark.start < end; mark = inline[next]) {
      next += 1;
      found.push(mark);
    }
  });
  return found;
}

/** Calls `use` with each line of a part, without its end. */
function eachLine(text: string, part: Span, use: (start: number, end: number) => void): void {
  // Not beyond the part: there may be many, and no line end in the text at all.
  const source = text.slice(part.start, part.end);
  for (let at = 0; at < source.length; ) {
    const newline = source.indexOf("\n", at);
    const stop = newline === -1 ? source.length : newline;
    const end = stop > at && source[stop - 1] === "\r" ? stop - 1 : stop;
    use(part.start + at, part.start + end);
    at = stop + 1;
  }
}

/**
 * Each field on a line of its own is how it was asked for, and then whatever a message says is the message. Only what
 * no line begins with is looked for inside of the lines.
 */
function readBlock(text: string, heading: Heading, end: number): FoundResult | undefined {
  const onOneLine = opensInline(text, heading.value);
  const draft = onOneLine ? undefined : readLines(text, heading, end, []);
  const block = draft && finishBlock(text, draft, end);
  if (draft && block && isWhole(draft)) return block;
  const marks = inlineMarks(text, { start: heading.value, end });
  if (marks.length === 0) return block;
  return finishBlock(text, readLines(text, heading, end, marks), end) ?? block;
}

function isWhole({ fields, files, ended, filesLast }: Draft): boolean {
  const parts = [fields.message, fields.state_updates, files];
  return ended && !filesLast && parts.every((part) => part !== undefined);
}

/** Reads the lines of a block, each cut where one of the marks begins. */
function readLines(
  text: string,
  heading: Heading,
  end: number,
  marks: readonly InlineMark[],
): Draft {
  const draft: Draft = {
    start: heading.start,
    end: heading.value,
    fields: {},
    open: undefined,
    files: undefined,
    inFiles: false,
    ended: false,
    filesLast: false,
  };
  let next = 0;
  eachLine(text, { start: heading.value, end }, (start, stop) => {
    let mark = marks[next];
    if (start > heading.value) {
      const first = Math.min(mark?.start ?? stop, stop);
      readLine(text, draft, { start, end: first }, keyLine(text, start, stop));
    }
    for (; mark && mark.start < stop; mark = marks[next]) {
      next += 1;
      const behind = Math.min(marks[next]?.start ?? stop, stop);
      readLine(text, draft, { start: mark.start, end: behind }, mark);
    }
  });
  return draft;
}

function readLine(
  text: string,
  draft: Draft,
  { start, end }: Span,
  found: KeyLine | undefined,
): void {
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
    if (fileItem(items) !== undefined) readFiles(draft, items, end);
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
    const file = fileItem(item);
    if (file) draft.files?.push(file);
    if (file === undefined && item.trim() !== "") draft.inFiles = false;
    else if (file !== undefined) draft.end = end;
  }
}

function finishBlock(text: string, draft: Draft, end: number): FoundResult | undefined {
  const textOf = (field: Field): string => {
    const span = draft.fields[field];
    return span ? text.slice(span.start, span.end) : "";
  };
  const action = actionOf(textOf("action"));
  const status = statusOf(textOf("status"));
  if (!action || !status) return undefined;
  const span = { start: draft.start, end: draft.open === "state_updates" ? end : draft.end };
  closeField(draft, end);
  if (isPlaceholder(textOf("message"))) return undefined;
  const found = resultOf({
    action,
    status,
    message: messageText(textOf("message")),
    state_updates: textOf("state_updates"),
    files_updated: draft.files ?? [],
  });
  return { span, ...found };
}
