/** The words of a shell command, quotes resolved; null when a quote is never closed. */
export function shellWords(text: string): string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let quote: "'" | '"' | null = null;
  for (let i = 0; i < text.length; i += 1) {
    const char = text[i] ?? "";
    if (quote === "'") {
      if (char === "'") quote = null;
      else word += char;
    } else if (char === "\\" && (quote === null || '"\\$`\n'.includes(text[i + 1] ?? ""))) {
      i += 1;
      word = (word ?? "") + (text[i] ?? "");
    } else if (quote === '"') {
      if (char === '"') quote = null;
      else word += char;
    } else if (char === "'" || char === '"') {
      quote = char;
      word ??= "";
    } else if (/\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
    } else {
      word = (word ?? "") + char;
    }
  }
  if (quote !== null) return null;
  return word === null ? words : [...words, word];
}

/** The script that Codex hands to a shell, without the shell: `/bin/bash -lc 'node test'` → `node test`. */
export function plainCommand(command: string): string {
  const words = shellWords(command);
  const [shell = "", flags = "", script] = words ?? [];
  const wrapped = words?.length === 3 && /\b(?:ba|z|da|k)?sh$/.test(shell) && /^-l?c$/.test(flags);
  return wrapped && script !== undefined ? script : command;
}
