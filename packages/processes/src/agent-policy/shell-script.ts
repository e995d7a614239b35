import { basename } from "node:path";

/** One command of a script: its words, quotes resolved; what it reads from and writes to is among them. */
export interface ShellCommand {
  words: readonly string[];
  /** What it hands to a shell as a script of its own; not among the words. */
  inner: string | null;
}

export interface ShellScript {
  commands: readonly ShellCommand[];
  /** Whether it is more than one plain command: separators, redirections, groups. */
  hasOperators: boolean;
  /** What in it only the shell can know the meaning of, as the end of "it …"; null where all of it is plain. */
  opaque: string | null;
}

/** A shell, by the name of its program. */
const SHELL = /^(?:ba|z|da|k|a|fi|c|tc)?sh$/;
/** What the system brings: the names of its programs say what they are. */
export const SYSTEM_PROGRAM = /^\/(?:usr\/)?(?:local\/)?s?bin\/[\w.-]+$/;
/** Programs whose arguments are programs, folders or rights that only they know. */
const OPAQUE_PROGRAMS = new Set(["pushd", "eval", "exec", "sudo", "su", "doas", "xargs", "env"]);

/** Reads a shell script, and decides alone what of it is opaque: nothing else looks at its characters. */
export function readScript(text: string): ShellScript {
  const { commands, hasOperators, opaque } = lex(text);
  const reasons = commands.map(({ words, isFed }) => opaqueIn(words, isFed));
  return {
    commands: commands.map(({ words }) => withInner(words)),
    hasOperators,
    opaque: opaque ?? reasons.find((reason) => reason !== null) ?? null,
  };
}

/** What of a command only its program knows. */
function opaqueIn(words: readonly string[], isFed: boolean): string | null {
  const program = words.find((word) => OPAQUE_PROGRAMS.has(basename(word)));
  if (program !== undefined) return `runs something by ${program}`;
  const cd = words.indexOf("cd");
  const isPlainCd = cd === 0 && words.length === 2 && words[1]?.startsWith("-") === false;
  if (cd >= 0 && !isPlainCd) return "changes its folder in its own way";
  const isShell = words.some((word) => SHELL.test(basename(word)));
  return isShell && isFed ? "hands a shell what nobody can see" : null;
}

function withInner(words: readonly string[]): ShellCommand {
  const shell = words.findIndex((word) => SHELL.test(basename(word)));
  const flag = shell < 0 ? -1 : words.findIndex((word, i) => i > shell && /^-\w*c/.test(word));
  const at = flag < 0 ? -1 : words.findIndex((word, i) => i > flag && !/^[-+]/.test(word));
  const inner = words[at];
  return inner === undefined
    ? { words, inner: null }
    : { words: words.filter((_, i) => i !== at), inner };
}

interface LexedCommand {
  words: string[];
  /** It reads what is piped into it, or what it is redirected to. */
  isFed: boolean;
}

const SEPARATOR = /[;&|\n()]/;
const BETWEEN_WORDS = /[\s<>]/;

function lex(text: string) {
  const commands: LexedCommand[] = [];
  let words: string[] = [];
  let word: string | null = null;
  let quote: "'" | '"' | null = null;
  let [isPiped, isRedirected, hasOperators] = [false, false, false];
  let opaque: string | null = null;
  const endWord = () => {
    if (word !== null) words.push(word);
    word = null;
  };
  const endCommand = () => {
    endWord();
    if (words.length > 0) commands.push({ words, isFed: isPiped || isRedirected });
    words = [];
    isRedirected = false;
  };
  for (let i = 0; i < text.length; i += 1) {
    const char = text[i] ?? "";
    const next = text[i + 1] ?? "";
    if (quote === "'") {
      if (char === "'") quote = null;
      else word += char;
    } else if (char === "\\" && (quote === null || '"\\$`\n'.includes(next))) {
      i += 1;
      word = (word ?? "") + next;
    } else if (quote === '"' && char === '"') {
      quote = null;
    } else if (quote === null && (char === "'" || char === '"')) {
      quote = char;
      word ??= "";
    } else if (quote === null && SEPARATOR.test(char)) {
      if (char === "(" && "<>".includes(text[i - 1] || "x")) opaque ??= "substitutes a command";
      endCommand();
      isPiped ||= char === "|" && next !== "|" && text[i - 1] !== "|";
      hasOperators = true;
    } else if (quote === null && BETWEEN_WORDS.test(char)) {
      endWord();
      isRedirected ||= char === "<";
      hasOperators ||= char === "<" || char === ">";
    } else {
      if (isExpanded(char, next, word, quote)) opaque ??= `has a ${char} in it`;
      word = (word ?? "") + char;
    }
  }
  if (quote !== null) opaque ??= "never closes a quote";
  endCommand();
  return { commands, hasOperators, opaque };
}

/** Whether the shell makes something else of a character that stands behind `word`. */
function isExpanded(char: string, next: string, word: string | null, quote: string | null) {
  if (char === "`") return true;
  if (char === "$") return !"?!#$".includes(next || "x");
  if (quote !== null) return false;
  if (char === "~") return word === null || /[=:]$/.test(word);
  // Folders with settings begin with a dot, and patterns match them only where they say so.
  if ("*?[".includes(char)) return /(?:^|\/)\.[^/]*$/.test(word ?? "");
  return char === "{" && next !== "}";
}

/** The words of a shell command, quotes resolved; null when a quote is never closed. */
export function shellWords(text: string): string[] | null {
  const { commands, opaque } = lex(text);
  return opaque === "never closes a quote" ? null : commands.flatMap(({ words }) => words);
}

/** The words of one command that means the same without a shell; null where only a shell could run it. */
export function plainWords(text: string): string[] | null {
  const { commands, hasOperators, opaque } = lex(text);
  return hasOperators || opaque !== null ? null : commands.flatMap(({ words }) => words);
}

/** The script that an agent hands to a shell, without the shell: `/bin/bash -lc 'node test'` → `node test`. */
export function plainCommand(command: string): string {
  const words = shellWords(command);
  const [shell = "", flags = "", script] = words ?? [];
  const isShell = SHELL.test(SYSTEM_PROGRAM.test(shell) ? basename(shell) : shell);
  const isWrapped = words?.length === 3 && isShell && /^-l?c$/.test(flags);
  return isWrapped && script !== undefined ? script : command;
}
