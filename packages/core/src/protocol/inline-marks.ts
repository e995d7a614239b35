import { actionOf } from "./action-result.ts";
import { endOf, jsonObjects, type Span, stringEnd } from "./json-objects.ts";
import { keyOf, type LineKey } from "./lines.ts";

/** Shorter than `{"":" status:"}` no object holds a mark. */
const SHORTEST = 15;

const LINE_MARKERS = " \t#>*_-+`";
const EMPHASIS = /[*_`]*/y;
const CLOSERS = /[ \t*_`]*/y;
const SPACES = /[ \t\r\n]*/y;
const BULLET = /[-*+][ \t]+/y;

/** The names of headings and of fields; each pattern also finds the quotes around which texts are skipped. */
export const HEADINGS = /"|\bACTION[ _-]RESULT\b/gi;
export const FIELDS =
  /"|\b(?:action|status|message|state_updates|files[ _-]updated|next[ _-]action(?:[ _-]needed)?)\b/gi;

/**
 * A text with a line end before each of these names that stands inside of a line, as it does where an answer lost its
 * line ends: in the place of the blank there, so that every offset stays. What stands in a JSON object or a quoted text
 * is no name.
 */
export function withLineEnds(text: string, names: typeof HEADINGS | typeof FIELDS): string {
  const marks = inlineMarks(text, names);
  if (marks.length === 0) return text;
  const isInside = within(jsonObjects(text, SHORTEST));
  let lines = "";
  let done = 0;
  for (const at of marks.filter((mark) => !isInside(mark))) {
    lines += `${text.slice(done, at - 1)}\n`;
    done = at;
  }
  return lines + text.slice(done);
}

/** Where the headings or fields inside of lines begin, with their list markers, in order. */
function inlineMarks(text: string, names: RegExp): number[] {
  const found: number[] = [];
  names.lastIndex = 0;
  for (let match = names.exec(text); match; match = names.exec(text)) {
    if (match[0] === '"') {
      const end = quotedEnd(text, match.index);
      if (end !== -1) names.lastIndex = end;
      continue;
    }
    const start = markAt(text, match.index, match[0]);
    if (start !== undefined) found.push(start);
  }
  return found;
}

/**
 * Where the mark begins whose name stands at `at`: inside of a line, a blank or a list marker before it, a colon and what
 * its key wants behind it.
 */
function markAt(text: string, at: number, name: string): number | undefined {
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
  return opensValue(text, key, endOf(EMPHASIS, text, colon + 1)) ? start : undefined;
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

const ACTION = /[ \t\r\n#>*_+`-]*action[ \t*_`]{0,9}:/iy;
const UPDATES = /`{0,3}(?:json)?[ \t\r\n]*(?:\{|(?:none|null|n\/a|-)(?![\w/]))/iy;
const FILES = /[-*+][ \t]|\(?none\b|#|[*_]{0,3}NEXT/iy;
const NEXT = /[*_`"']{0,9}(?:[A-Z]+(?:[_-][A-Z]+)*\b|\{)/y;

/** Whether what follows is what the key wants: a message may well speak of `state_updates:`. */
function opensValue(text: string, key: LineKey, value: number): boolean {
  const at = endOf(SPACES, text, value);
  const follows = (wanted: RegExp) => at >= text.length || endOf(wanted, text, at) !== -1;
  if (key === "action_result") return endOf(ACTION, text, at) !== -1;
  if (key === "state_updates") return follows(UPDATES);
  if (key === "files_updated") return follows(FILES);
  if (key !== "next_action_needed") return true;
  return follows(NEXT) || actionOf(text.slice(at, at + 60)) !== undefined;
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
