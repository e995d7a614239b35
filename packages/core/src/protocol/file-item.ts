import type { FileUpdate } from "./action-result.ts";
import { stringEnd } from "./json-objects.ts";
import { charSet, skip } from "./lines.ts";
import { isPlaceholder } from "./words.ts";

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
const BULLETS = charSet("-*+");
const BLANKS = charSet(" \t");
const ITEM_DIGITS = charSet("0123456789");

/** Where the text of a list item begins; -1 when the line is none. */
function itemStart(line: string): number {
  const at = skip(line, 0, line.length, BEFORE);
  const bullet = skip(line, at, at + 1, BULLETS);
  const text = skip(line, bullet, line.length, BLANKS);
  if (bullet > at && text > bullet) return text;
  const digits = skip(line, at, Math.min(line.length, at + 4), ITEM_DIGITS);
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
