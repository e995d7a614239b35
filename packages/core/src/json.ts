/**
 * How many brackets of a JSON text may be open at once. What is nested deeper overflows the stack of whoever looks
 * through it, so nothing that comes from a file is read beyond this depth, and no commit is written beyond it.
 */
export const MAX_JSON_DEPTH = 256;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** What the text holds when it is JSON of at most `most` levels; undefined otherwise, and where there is no text. */
export function tryParseJson(text: string | null | undefined, most = MAX_JSON_DEPTH): unknown {
  // The parser keeps what it needs per level, so it must not be the one that notices.
  if (text === null || text === undefined || isTextDeeper(text, most)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether more than `most` brackets are open at once in a JSON text. Linear, and keeps nothing. */
export function isTextDeeper(text: string, most: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = stringEnd(text, at);
      if (at < 0) return false;
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > most) return true;
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
  }
  return false;
}

/** The quote that closes the string begun at `at`; -1 when none does. */
function stringEnd(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let from = end;
    while (text.charCodeAt(from - 1) === BACKSLASH) from -= 1;
    if ((end - from) % 2 === 0) return end;
  }
  return -1;
}

/** Whether a value is nested deeper than `most` levels. What is the very same in `known` is not looked at again. */
export function isValueDeeper(value: unknown, most: number, known?: unknown): boolean {
  if (typeof value !== "object" || value === null || value === known) return false;
  if (most === 0) return true;
  const before = typeof known === "object" && known !== null ? known : {};
  return Object.entries(value).some(([key, part]) =>
    isValueDeeper(part, most - 1, Reflect.get(before, key)),
  );
}
