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
const DIGITS = charSet("0123456789");
const CLOSERS = charSet(" \t*_`");
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
