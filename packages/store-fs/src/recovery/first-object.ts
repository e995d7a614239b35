/**
 * The text up to where its first JSON object ends; all of it when none ends. Two programs that wrote one file
 * at once left the end of the longer text behind the shorter one.
 */
export function firstObject(text: string): string {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (quoted) {
      if (char === "\\") at += 1;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === "{") depth += 1;
    else if (char === "}" && --depth === 0) return text.slice(0, at + 1);
  }
  return text;
}
