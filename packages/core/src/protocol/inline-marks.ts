import { actionOf } from "./action-result.ts";
import { endOf, jsonObjects, type Span, stringEnd } from "./json-objects.ts";
import { type KeyLine, keyOf } from "./lines.ts";

/** A heading or a field inside of a line, as it stands where an answer lost its line ends. */
export interface InlineMark extends KeyLine {
  /** Where it begins, with its list marker. */
  start: number;
}

/** Shorter than `{"":" status:"}` no object holds a mark. */
const SHORTEST = 15;

const LINE_MARKERS = " \t#>*_-+`";
const EMPHASIS = /[*_`]*/y;
const CLOSERS = /[ \t*_`]*/y;
const SPACES = /[ \t\r\n]*/y;
const BULLET = /[-*+][ \t]+/y;

const BLOCK = /\bACTION[ _-]RESULT\b/gi;
const ACTION = /[ \t#>*_+`-]*action[ \t*_`]{0,9}:/iy;
const ACTION_BELOW = /[ \t\r\n#>*_+`-]*action[ \t*_`]{0,9}:/iy;

/**
 * Where a block begins inside of a line: its heading has something before it, and the field `action` follows. What
 * stands in a JSON object is none. In order.
 */
export function inlineBlocks(text: string): InlineMark[] {
  const found: InlineMark[] = [];
  for (const match of text.matchAll(BLOCK)) {
    const mark = markAt(text, match.index, match[0]);
    if (mark && endOf(ACTION_BELOW, text, mark.value) !== -1) found.push(mark);
  }
  if (found.length === 0) return found;
  const isInside = [within(jsonObjects(text, SHORTEST)), within(quotedTexts(text))];
  return found.filter((mark) => !isInside.some((inside) => inside(mark.start)));
}

/** Whether the field `action` follows on the same line. */
export function opensInline(text: string, at: number): boolean {
  return endOf(ACTION, text, at) !== -1;
}

const NAMES =
  /"|\b(?:action|status|message|state_updates|files[ _-]updated|next[ _-]action(?:[ _-]needed)?)\b/gi;

/** The marks inside of the lines of one block, in order. What stands in a JSON object or a quoted text is none. */
export function inlineMarks(text: string, block: Span): InlineMark[] {
  const source = text.slice(block.start, block.end);
  const found: InlineMark[] = [];
  NAMES.lastIndex = 0;
  for (let match = NAMES.exec(source); match; match = NAMES.exec(source)) {
    if (match[0] === '"') {
      const end = quotedEnd(source, match.index);
      if (end !== -1) NAMES.lastIndex = end;
      continue;
    }
    const mark = markAt(source, match.index, match[0]);
    if (mark && opensValue(source, mark)) found.push(mark);
  }
  if (found.length === 0) return found;
  const isInside = within(jsonObjects(source, SHORTEST));
  return found
    .filter((mark) => !isInside(mark.start))
    .map(({ key, start, value }) => ({
      key,
      start: start + block.start,
      value: value + block.start,
    }));
}

/** The mark whose name stands at `at`: inside of a line, a blank or a list marker before it, a colon behind it. */
function markAt(text: string, at: number, name: string): InlineMark | undefined {
  const colon = endOf(CLOSERS, text, at + name.length);
  const key = keyOf(name);
  if (!key || text[colon] !== ":") return undefined;
  const bare = back(text, at, "*_`");
  const blank = back(text, bare, " \t");
  if (blank === bare) return undefined;
  const start = markerBefore(text, blank) ?? bare;
  const line = back(text, start, LINE_MARKERS);
  if (line > 0 ? text[line - 1] === "\n" : start === line) return undefined;
  // `3 files updated: …` is prose.
  if (/[ -]/.test(name) && key !== "action_result" && start === at) return undefined;
  return { key, start, value: endOf(EMPHASIS, text, colon + 1) };
}

const MARKER = /(?<![^ \t\r\n])(?:[-*+]|#{1,6}|\d{1,3}[.)])$/;

/** Where a list or heading marker begins that ends at `end` and stands alone. */
function markerBefore(text: string, end: number): number | undefined {
  const from = Math.max(0, end - 8);
  const marker = MARKER.exec(text.slice(from, end));
  return marker ? from + marker.index : undefined;
}

/** Whether a text, an item or a marker may begin there: behind a blank, a line end or nothing. */
function isStart(text: string, at: number): boolean {
  return isBlank(text, at - 1);
}

const UPDATES = /`{0,3}(?:json)?[ \t\r\n]*(?:\{|(?:none|null|n\/a|-)(?![\w/]))/iy;
const FILES = /[-*+][ \t]|\(?none\b|#|[*_]{0,3}NEXT/iy;
const NEXT = /[*_`"']{0,9}(?:[A-Z]+(?:[_-][A-Z]+)*\b|\{)/y;

/** Whether what follows is what the key wants: a message may well speak of `state_updates:`. */
function opensValue(text: string, { key, value }: InlineMark): boolean {
  const at = endOf(SPACES, text, value);
  const follows = (wanted: RegExp) => at >= text.length || endOf(wanted, text, at) !== -1;
  if (key === "state_updates") return follows(UPDATES);
  if (key === "files_updated") return follows(FILES);
  if (key !== "next_action_needed") return true;
  return follows(NEXT) || actionOf(text.slice(at, at + 60)) !== undefined;
}

/** Texts in quotes, in order. */
function* quotedTexts(text: string): Generator<Span> {
  for (let start = text.indexOf('"'); start !== -1; ) {
    const end = quotedEnd(text, start);
    if (end !== -1) yield { start, end };
    start = text.indexOf('"', end === -1 ? start + 1 : end);
  }
}

/** Where a text in quotes ends that begins at `at`; -1 for a quote that stands inside of a word or alone. */
function quotedEnd(text: string, at: number): number {
  if (!isStart(text, at) || isBlank(text, at + 1)) return -1;
  const end = stringEnd(text, at);
  const closes = end !== -1 && (isBlank(text, end) || text[end] === ":");
  return closes && !isBlank(text, end - 2) ? end : -1;
}

/** Whether a blank, a line end or nothing is there. */
function isBlank(text: string, at: number): boolean {
  // `charAt` gives an empty text outside of the text, which every text includes.
  return " \t\r\n".includes(text.charAt(at));
}

/** Where the run of these characters begins that ends at `at`. */
function back(text: string, at: number, chars: string): number {
  let i = at;
  while (i > 0 && chars.includes(text.charAt(i - 1))) i -= 1;
  return i;
}

/** Whether offsets, asked for in rising order, lie in one of the spans, which rise as well. */
function within(spans: Iterable<Span>): (at: number) => boolean {
  const all = spans[Symbol.iterator]();
  let span = all.next();
  return (at) => {
    while (!span.done && span.value.end <= at) span = all.next();
    return !span.done && span.value.start <= at;
  };
}

const PATH_END = /\s/g;

/** Where the items of a list of files begin, of which several may stand on one line; the first is the line's own. */
export function itemStarts(line: string): number[] {
  const starts = [0];
  for (let at = 0; at < line.length; at += 1) {
    const path = isStart(line, at) ? endOf(BULLET, line, at) : -1;
    const end = path !== -1 ? pathEnd(line, path) : -1;
    if (end !== -1) {
      if (at > 0) starts.push(at);
      at = end;
    } else if (line[at] === '"') {
      at = Math.max(at, quotedEnd(line, at) - 1);
    }
  }
  return starts;
}

/** The colon behind something that looks like a path: quoted, marked as code, or with a slash or a point in it. */
function pathEnd(line: string, at: number): number {
  const quoted = line[at] === '"' ? stringEnd(line, at) : -1;
  PATH_END.lastIndex = at;
  const end = quoted !== -1 ? quoted + 1 : (PATH_END.exec(line)?.index ?? line.length);
  const path = line.slice(at, end - 1);
  return line[end - 1] === ":" && (quoted !== -1 || /[./`]/.test(path)) ? end - 1 : -1;
}
