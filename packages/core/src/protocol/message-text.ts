import { unquoted } from "./file-item.ts";
import { charSet, skip } from "./lines.ts";

const MESSAGE_BLANKS = charSet(" \t");
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
  const start = skip(line, 0, line.length, MESSAGE_BLANKS);
  let end = line.length;
  while (end > start && " \t".includes(line[end - 1] ?? "x")) end -= 1;
  return line.slice(start, end);
}

/** Lines, each after its line feed, without the indentation that all of them share. */
function outdented(lines: string): string {
  let shared = Number.POSITIVE_INFINITY;
  for (let at = 0; at !== -1; at = lines.indexOf("\n", at + 1)) {
    const text = skip(lines, at + 1, lines.length, MESSAGE_BLANKS);
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
