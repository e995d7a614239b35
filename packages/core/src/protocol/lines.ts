import { isPlaceholder } from "./action-result.ts";
import { stringEnd } from "./json-objects.ts";

/** Headings and field names of the text block, in their lower-case spelling. */
const KEYS = [
  "action_result",
  "files_updated",
  "next_action_needed",
  "action",
  "status",
  "message",
  "state_updates",
] as const;
export type LineKey = (typeof KEYS)[number];

/** A line that is a heading or a field: its key, and the offset in the text where its value begins. */
export interface KeyLine {
  key: LineKey;
  value: number;
}

/** A name with its colon, whatever quote, list, number or heading marker or bold is around it. */
const KEY_LINE =
  /^[ \t#>*_+`-]*(?:\d{1,4}[.)][ \t#>*_+`-]*)?([a-z]{1,20}(?:[ _-][a-z]{1,20}){0,2})[ \t*_`]*(:[*_]*)?/i;

export function keyLine(text: string, start: number, end: number): KeyLine | undefined {
  const [marked = "", name = "", colon] = KEY_LINE.exec(text.slice(start, end)) ?? [];
  const key = keyOf(name);
  const value = start + marked.length;
  const isHeading = value === end && (key === "action_result" || key === "files_updated");
  return key && (colon !== undefined || isHeading) ? { key, value } : undefined;
}

/** The key that a name spells, in any case and with any of `_`, `-` and a blank in it. */
export function keyOf(name: string): LineKey | undefined {
  const spelled = name.toLowerCase().replaceAll(/[ -]/g, "_");
  const full = spelled === "next_action" ? "next_action_needed" : spelled;
  return KEYS.find((key) => key === full);
}

const LIST_ITEM = /^[ \t>]*(?:[-*+][ \t]+|\d{1,4}[.)])/;

/** `- path` or `- path: description` → the path; null for a line that names none; undefined when it is no list item. */
export function listedPath(line: string): string | null | undefined {
  const marker = LIST_ITEM.exec(line)?.[0];
  if (marker === undefined) return undefined;
  const item = line.slice(marker.length).trim();
  const quoted = item.startsWith('"') ? stringEnd(item, 0) : -1;
  if (quoted !== -1) return unquoted(item.slice(0, quoted)) || null;
  const [named = ""] = item.split(/: |:$/, 1);
  const path = bare(named.trim());
  const nothing = path === "" || isPlaceholder(path) || /^\(?none\)?\.?$/i.test(path);
  return nothing ? null : path;
}

/** A value, freed of the JSON string it was written as when it is one. */
export function unquoted(value: string): string {
  if (!value.startsWith('"') || stringEnd(value, 0) !== value.length) return value;
  return String(JSON.parse(value)).trim();
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
  const first = text.slice(0, newline).trim();
  const head = first === "|" || first === ">" ? "" : first;
  return unquoted(withoutFence(head + outdented(text.slice(newline))));
}

/** Lines, each after its line feed, without the indentation that all of them share. */
function outdented(lines: string): string {
  let shared = Number.POSITIVE_INFINITY;
  for (const [, blanks = ""] of lines.matchAll(/\n([ \t]*)[^ \t\n]/g)) {
    shared = Math.min(shared, blanks.length);
  }
  if (shared === 0 || shared > 1_000) return lines;
  return lines.replaceAll(new RegExp(`\n[ \t]{${shared}}`, "g"), "\n");
}

/** A last line that only closes a fence which the message did not open belongs to the block. */
function withoutFence(lines: string): string {
  const text = lines.trim();
  const fences = text.split(FENCE).length - 1;
  const closesOnly = text.endsWith(FENCE) && fences % 2 === 1;
  return closesOnly ? text.slice(0, -FENCE.length).trim() : text;
}
