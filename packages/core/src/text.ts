/** Control, format (direction marks, joiners, byte order mark), surrogate and separator characters. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Joiners that scripts and emoji need; they cannot reorder or hide text. */
const HARMLESS = new Set(["\u200c", "\u200d"]);

/**
 * Text with every character that a screen would act upon made visible: the escape key is `\u{1b}`. Line
 * feeds and tabs stay; a lone surrogate becomes `\u{d800}`.
 */
export function visible(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(INVISIBLE, (char) => {
    if (char === "\n" || char === "\t" || HARMLESS.has(char)) return char;
    return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

/**
 * JSON whose text is safe anywhere: `<`, `>` and `&` (so it cannot close a comment around it) and all
 * invisible characters are written as `\uXXXX`. Parses to the same value.
 */
export function safeJson(value: unknown, indent = 0): string {
  const json = JSON.stringify(value, null, indent) ?? "null";
  return json.replace(/[<>&]|[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (char) => {
    if (char === "\n") return char;
    const units = char.split("").map((unit) => unit.charCodeAt(0).toString(16));
    return units.map((unit) => `\\u${unit.padStart(4, "0")}`).join("");
  });
}

/** The first `limit` characters, and how many more there are. Never cuts a character in two. */
export function clip(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const code = text.charCodeAt(limit - 1);
  const cut = code >= 0xd800 && code <= 0xdbff ? limit - 1 : limit;
  return `${text.slice(0, cut)}… (${text.length - cut} more characters)`;
}

/** `a, b and 3 more`: the first `most` of them. */
export function firstOf(items: readonly string[], most: number): string {
  const more = items.length > most ? ` and ${items.length - most} more` : "";
  return `${items.slice(0, most).join(", ")}${more}`;
}

/** `1 test`, `2 tests`. */
export function counted(n: number, word: string): string {
  return `${n} ${word}${n === 1 ? "" : "s"}`;
}

/** A word as a shell reads it back. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** `part` of `whole` in percent with one decimal; 0 of nothing is 0. */
export function percent(part: number, whole: number): number {
  return whole > 0 ? Math.round((part / whole) * 1000) / 10 : 0;
}

/** `1h 2m`, `3m 4s` or `5s` (upstream's spelling); negative and unknown durations are `0s`. */
export function durationText(milliseconds: number): string {
  const seconds = Number.isFinite(milliseconds) ? Math.max(0, Math.floor(milliseconds / 1000)) : 0;
  const minutes = Math.floor(seconds / 60);
  if (minutes >= 60) return `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
  return minutes > 0 ? `${minutes}m ${seconds % 60}s` : `${seconds}s`;
}

/** 53 bits of a text in 14 hex digits (cyrb53), to recognise it: no protection against one that is made to collide. */
export function fingerprint(text: string): string {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(16).padStart(14, "0");
}
