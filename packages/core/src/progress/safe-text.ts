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
    let escaped = "";
    for (let i = 0; i < char.length; i += 1) {
      escaped += `\\u${char.charCodeAt(i).toString(16).padStart(4, "0")}`;
    }
    return escaped;
  });
}

/** The first `limit` characters, and how many more there are. Never cuts a character in two. */
export function clip(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const code = text.charCodeAt(limit - 1);
  const cut = code >= 0xd800 && code <= 0xdbff ? limit - 1 : limit;
  return `${text.slice(0, cut)}… (${text.length - cut} more characters)`;
}
