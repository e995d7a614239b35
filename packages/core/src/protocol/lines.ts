import { type FileUpdate, isPlaceholder } from "./action-result.ts";
import { stringEnd } from "./json-objects.ts";

/** Headings and field names of the text block, in their lower-case spelling. */
export type LineKey =
  | "action_result"
  | "files_updated"
  | "next_action_needed"
  | "action"
  | "status"
  | "message"
  | "state_updates";

const KEYS: Readonly<Record<string, LineKey>> = {
  action_result: "action_result",
  files_updated: "files_updated",
  next_action_needed: "next_action_needed",
  next_action: "next_action_needed",
  action: "action",
  status: "status",
  message: "message",
  state_updates: "state_updates",
};

/** A line that is a heading or a field: its key, and the offset in the text where its value begins. */
export interface KeyLine {
  key: LineKey;
  value: number;
}

const NAME = /[A-Za-z]{1,20}(?:[ _-][A-Za-z]{1,20}){0,2}/y;
const INITIALS = charSet("afmnsAFMNS");
const MARKERS = charSet(" \t#>*_-+`");
export const BLANKS = charSet(" \t");
export const DIGITS = charSet("0123456789");
export const BULLETS = charSet("-*+");
export const CLOSERS = charSet(" \t*_`");
const EMPHASIS = charSet("*_");

/** The key of the line `[start, end)`, whatever list marker, heading marker or bold is around it. */
export function keyLine(text: string, start: number, end: number): KeyLine | undefined {
  const at = afterMarkers(text, start, end);
  if (skip(text, at, at + 1, INITIALS) === at) return undefined;
  NAME.lastIndex = at;
  const name = NAME.exec(text)?.[0] ?? "";
  const key = keyOf(name);
  let value = skip(text, at + name.length, end, CLOSERS);
  if (key === undefined || value > end) return undefined;
  if (value === end) {
    return key === "action_result" || key === "files_updated" ? { key, value } : undefined;
  }
  if (text[value] !== ":") return undefined;
  value = skip(text, value + 1, end, EMPHASIS);
  return { key, value };
}

/** The key that a name spells, in any case and with any of `_`, `-` and a blank in it. */
export function keyOf(name: string): LineKey | undefined {
  const spelled = name.toLowerCase().replaceAll(/[ -]/g, "_");
  return Object.hasOwn(KEYS, spelled) ? KEYS[spelled] : undefined;
}

/** Where a line's own text begins: after spaces, quote marks, bullets, numbers, heading marks and bold. */
function afterMarkers(text: string, start: number, end: number): number {
  const at = skip(text, start, end, MARKERS);
  const digits = skip(text, at, Math.min(end, at + 4), DIGITS);
  const numbered = digits > at && (text[digits] === "." || text[digits] === ")");
  return numbered ? skip(text, digits + 1, end, MARKERS) : at;
}

/** ASCII characters as a table, for `skip`. */
export type CharSet = Uint8Array;

export function charSet(chars: string): CharSet {
  const set = new Uint8Array(128);
  for (const char of chars) set[char.charCodeAt(0)] = 1;
  return set;
}

/** The first offset from `at` on whose character is none of the set. */
export function skip(text: string, at: number, end: number, set: CharSet): number {
  let i = at;
  while (i < end) {
    const code = text.charCodeAt(i);
    if (code > 127 || set[code] !== 1) break;
    i += 1;
  }
  return i;
}

/** `- path: description` → the file; null for a line that names none; undefined when it is no list item. */
export function fileItem(line: string): FileUpdate | null | undefined {
  const at = itemStart(line);
  if (at === -1) return undefined;
  const item = line.slice(at).trim();
  const quoted = quotedPath(item);
  const [path, rest] = quoted ?? plainPath(item);
  const nothing = !quoted && (isPlaceholder(path) || /^\(?none\)?\.?$/i.test(path));
  return nothing || path === "" ? null : { path, description: unquoted(rest.trim()) };
}

/** A value, freed of the JSON string it was written as when it is one. */
export function unquoted(value: string): string {
  if (!value.startsWith('"') || stringEnd(value, 0) !== value.length) return value;
  return String(JSON.parse(value)).trim();
}

const BEFORE = charSet(" \t>");

/** Where the text of a list item begins; -1 when the line is none. */
function itemStart(line: string): number {
  const at = skip(line, 0, line.length, BEFORE);
  const bullet = skip(line, at, at + 1, BULLETS);
  const text = skip(line, bullet, line.length, BLANKS);
  if (bullet > at && text > bullet) return text;
  const digits = skip(line, at, Math.min(line.length, at + 4), DIGITS);
  return digits > at && (line[digits] === "." || line[digits] === ")") ? digits + 1 : -1;
}

function quotedPath(item: string): [string, string] | undefined {
  const end = item.startsWith('"') ? stringEnd(item, 0) : -1;
  if (end === -1) return undefined;
  const rest = item.slice(end).trimStart();
  return [unquoted(item.slice(0, end)), rest.startsWith(":") ? rest.slice(1) : rest];
}

function plainPath(item: string): [string, string] {
  const colon = item.indexOf(": ");
  const [path, rest] =
    colon !== -1
      ? [item.slice(0, colon), item.slice(colon + 2)]
      : item.endsWith(":")
        ? [item.slice(0, -1), ""]
        : [item, ""];
  return [bare(path.trim()), rest];
}

/** A path without the bold and code marks around it; `**\`a\`**` has two layers, more means nothing. */
function bare(path: string): string {
  return unwrapped(unwrapped(path));
}

function unwrapped(path: string): string {
  const mark = ["**", "__", "`"].find((m) => path.startsWith(m) && path.endsWith(m));
  if (mark === undefined || path.length <= 2 * mark.length) return path;
  return path.slice(mark.length, -mark.length).trim();
}

const FENCE = "\n```";

/** A message as it stood in its block, freed of the indentation, the fence and the quotes around it. */
export function messageText(raw: string): string {
  const text = raw.replaceAll("\r\n", "\n");
  const newline = text.indexOf("\n");
  if (newline === -1) return unquoted(text.trim());
  const first = withoutBlanks(text.slice(0, newline));
  const head = first === "|" || first === ">" ? "" : first;
  return unquoted(withoutFence(head + outdented(text.slice(newline))));
}

/** Without the blanks around it; other white space is part of the text. */
function withoutBlanks(line: string): string {
  const start = skip(line, 0, line.length, BLANKS);
  let end = line.length;
  while (end > start && " \t".includes(line[end - 1] ?? "x")) end -= 1;
  return line.slice(start, end);
}

/** Lines, each after its line feed, without the indentation that all of them share. */
function outdented(lines: string): string {
  let shared = Number.POSITIVE_INFINITY;
  for (let at = 0; at !== -1; at = lines.indexOf("\n", at + 1)) {
    const text = skip(lines, at + 1, lines.length, BLANKS);
    if (text < lines.length && lines[text] !== "\n") shared = Math.min(shared, text - at - 1);
  }
  if (shared === 0 || shared > 1_000) return lines;
  return lines.replaceAll(new RegExp(`\n[ \t]{${shared}}`, "g"), "\n");
}

/** A last line that only closes a fence which the message did not open belongs to the block. */
function withoutFence(lines: string): string {
  const text = lines.trim();
  if (!text.endsWith(FENCE)) return text;
  let fences = 0;
  for (let at = text.indexOf(FENCE); at !== -1; at = text.indexOf(FENCE, at + 1)) fences += 1;
  return fences % 2 === 1 ? text.slice(0, -FENCE.length).trim() : text;
}
