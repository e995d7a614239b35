import type { ActionResult, FileUpdate } from "./action-result.ts";
import { fileItem } from "./file-item.ts";
import type { Span } from "./json-objects.ts";
import { type KeyLine, keyLine } from "./lines.ts";
import { messageText } from "./message-text.ts";
import { readUpdates } from "./updates-tree.ts";
import { actionOf, isPlaceholder, nextOf, statusOf } from "./words.ts";

/** The last complete text block of an answer: what it says, or what is wrong with it. `span` is where it stands. */
export interface TextBlock {
  span: Span;
  result: ActionResult | undefined;
  problem: string;
}

type Field = "action" | "status" | "message" | "state_updates";

/** A block while its lines are being read; every value is an offset pair, so no text is copied. */
interface Draft {
  start: number;
  end: number;
  fields: Partial<Record<Field, Span>>;
  open: Field | undefined;
  files: FileUpdate[] | undefined;
  inFiles: boolean;
  next: string | undefined;
  awaitsNext: boolean;
}

/**
 * Reads the text form of ACTION_RESULT, line by line. `last` is the last block that names an action and a
 * status; `problem` says why the others do not count. Linear on any input: a line belongs to one block.
 */
export function lastTextBlock(text: string): { last: TextBlock | undefined; problem: string } {
  let last: TextBlock | undefined;
  let problem = "The answer has no ACTION_RESULT.";
  let draft: Draft | undefined;

  const finish = (end: number): void => {
    if (!draft) return;
    const block = concluded(text, draft, end);
    if (block) last = block;
    else problem = "The ACTION_RESULT names no valid action and status.";
  };

  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const stop = newline === -1 ? text.length : newline;
    const end = stop > start && text[stop - 1] === "\r" ? stop - 1 : stop;
    const found = keyLine(text, start, end);
    if (found?.key === "action_result") {
      finish(start);
      draft = newDraft(start, end);
    } else if (draft) readLine(text, draft, start, end, found);
    start = stop + 1;
  }
  finish(text.length);
  return { last, problem };
}

function newDraft(start: number, end: number): Draft {
  return {
    start,
    end,
    fields: {},
    open: undefined,
    files: undefined,
    inFiles: false,
    next: undefined,
    awaitsNext: false,
  };
}

function readLine(
  text: string,
  draft: Draft,
  start: number,
  end: number,
  found: KeyLine | undefined,
): void {
  const ended = draft.next !== undefined;
  if (found?.key === "next_action_needed") {
    closeField(draft, start);
    draft.inFiles = false;
    const next = nextOf(text.slice(found.value, end));
    draft.next = next ?? draft.next;
    draft.awaitsNext = next === undefined && text.slice(found.value, end).trim() === "";
    draft.end = end;
  } else if (found?.key === "files_updated" && !draft.files) {
    closeField(draft, start);
    draft.inFiles = true;
    draft.files = [];
    draft.end = end;
  } else if (found && isField(found.key) && !ended && !draft.fields[found.key]) {
    closeField(draft, start);
    draft.inFiles = false;
    draft.fields[found.key] = { start: found.value, end };
    draft.open = found.key;
    draft.end = end;
  } else if (draft.inFiles) {
    readFile(draft, text.slice(start, end), end);
  } else if (draft.awaitsNext && text.slice(start, end).trim() !== "") {
    const line = text.slice(start, Math.min(end, start + 100)).trim();
    draft.next = /^[*_`]*[A-Za-z]+(?:[_-][A-Za-z]+)*[*_`]*$/.test(line) ? nextOf(line) : draft.next;
    draft.awaitsNext = false;
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

function readFile(draft: Draft, line: string, end: number): void {
  const file = fileItem(line);
  if (file) draft.files?.push(file);
  if (file === undefined && line.trim() !== "") draft.inFiles = false;
  else if (file !== undefined) draft.end = end;
}

function concluded(text: string, draft: Draft, end: number): TextBlock | undefined {
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
  const message = messageText(textOf("message"));
  const state_updates = readUpdates(textOf("state_updates"));
  if (!state_updates) {
    return { span, result: undefined, problem: "The state_updates are not one JSON object." };
  }
  const result: ActionResult = {
    action,
    status,
    message,
    state_updates,
    files_updated: draft.files ?? [],
    next_action: draft.next ?? "NONE",
  };
  return { span, result, problem: "" };
}
