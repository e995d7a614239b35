import type { Language } from "./languages.ts";
import { render } from "./render.ts";

/** The smallest part of code; comments are none. */
export interface Token {
  kind: "word" | "string" | "sign" | "newline";
  /** One spelling for what means the same, as far as quotes go. */
  text: string;
  /** 1-based. */
  line: number;
  /** White space stands before it. */
  spaced: boolean;
  /** Of a `newline`: how far the line behind it is indented. */
  indent: number;
}

const BLANK = /\s+/y;
const WORD = /[\p{L}\p{N}_$]+/uy;
/** `1.`, which is `1.0`. */
const WHOLE_FLOAT = /\d[\d_]*\.(?![\w.])/y;
const PATTERN = /\/(?![*/])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
/** Words that a value can follow, so that a `/` behind them begins a pattern. */
const BEFORE_VALUE =
  /^(?:return|typeof|case|in|of|do|else|void|delete|throw|new|await|yield|if|unless|when|and|or|not|while|match|then)$/;

/** The tokens of a text in linear time; what is no valid code gives tokens too. */
export function scan(text: string, language: Language, nesting = 0): Token[] {
  const tokens: Token[] = [];
  const waiting: { label: string; token: Token }[] = [];
  const neverEnded = new Set<string>();
  let at = 0;
  let line = 1;
  let spaced = false;
  let lineStart = 0;
  let fresh = false;
  let output = false;

  const take = (pattern: RegExp | null | undefined): string | null => {
    if (!pattern) return null;
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0] || null;
  };
  const pass = (taken: string) => {
    for (let i = taken.indexOf("\n"); i !== -1; i = taken.indexOf("\n", i + 1)) {
      line += 1;
      lineStart = at + i + 1;
      fresh = true;
    }
    at += taken.length;
  };
  const push = (kind: Token["kind"], taken: string, canonical = taken) => {
    if (fresh && language.newlines && tokens.length > 0) {
      const indent = widthOf(text.slice(lineStart, at));
      tokens.push({ kind: "newline", text: "\n", line, spaced: true, indent });
    }
    if (fresh) spaced = true;
    fresh = false;
    tokens.push({ kind, text: canonical, line, spaced, indent: 0 });
    spaced = false;
    pass(taken);
    // A text of many lines ends on its last one: what follows there is no new line.
    if (kind === "string") fresh = false;
  };

  while (at < text.length) {
    const blank = take(BLANK);
    if (blank !== null) {
      if (waiting.length > 0 && blank.includes("\n")) {
        pass(blank.slice(0, blank.indexOf("\n") + 1));
        for (const { label, token } of waiting.splice(0)) {
          const body = text.slice(at, endOf(text, at, label) ?? at);
          token.text += body;
          pass(body);
        }
        fresh = true;
      } else pass(blank);
      spaced = true;
      continue;
    }
    if (take(language.end) !== null) break;
    const comment = language.nestedComments
      ? (nestedComment(text, at) ?? take(language.comment))
      : take(language.comment);
    if (comment !== null) {
      const starts = language.directive?.test(comment) === true;
      output = language.name === "go" && (output || (starts && /output:/i.test(comment)));
      if (starts || output) push("word", comment, `«${comment.replace(/\s+/g, " ").trim()}»`);
      else pass(comment);
      spaced = true;
      continue;
    }
    output = false;
    const opened = heredoc(language, text, at);
    if (opened && !neverEnded.has(opened.label)) {
      if (endOf(text, at, opened.label) !== null) {
        push("string", opened.text, `"${opened.label}`);
        const token = tokens.at(-1);
        if (token) waiting.push({ label: opened.label, token });
        continue;
      }
      neverEnded.add(opened.label);
    }
    const template = language.name === "javascript" ? templateAt(text, at) : null;
    const quoted = template ?? take(language.string);
    if (quoted !== null) {
      const spelled =
        template?.includes("${") && nesting < TEMPLATES_NESTED
          ? canonicalTemplate(quoted, language, nesting)
          : canonicalString(quoted, language);
      push("string", quoted, spelled);
      continue;
    }
    const pattern = language.patterns && valueMayFollow(tokens) ? take(PATTERN) : null;
    if (pattern !== null) {
      push("string", pattern);
      continue;
    }
    const whole = language.name === "python" ? take(WHOLE_FLOAT) : null;
    if (whole !== null) {
      push("word", whole, `${whole}0`);
      continue;
    }
    const word = take(WORD);
    if (word !== null) push("word", word, canonicalWord(word, text[at + word.length], language));
    else push("sign", text[at] ?? "");
  }
  return tokens;
}

function widthOf(blank: string): number {
  let width = 0;
  for (const char of blank) width += char === "\t" ? 8 - (width % 8) : 1;
  return width;
}

function valueMayFollow(tokens: readonly Token[]): boolean {
  const last = tokens.at(-1);
  if (!last || last.kind === "newline") return true;
  if (last.kind === "string") return false;
  return last.kind === "word" ? BEFORE_VALUE.test(last.text) : !/[)\]}]/.test(last.text);
}

function nestedComment(text: string, from: number): string | null {
  if (!text.startsWith("/*", from)) return null;
  const edge = /\/\*|\*\//g;
  edge.lastIndex = from;
  let depth = 0;
  for (let found = edge.exec(text); found; found = edge.exec(text)) {
    depth += found[0] === "/*" ? 1 : -1;
    if (depth === 0) return text.slice(from, edge.lastIndex);
  }
  return text.slice(from);
}

function heredoc(
  { heredoc: opener, name }: Language,
  text: string,
  at: number,
): { text: string; label: string } | null {
  if (!opener || text[at] !== "<" || (name === "shell" && text[at - 1] === "<")) return null;
  opener.lastIndex = at;
  const found = opener.exec(text);
  return found?.[1] ? { text: found[0], label: found[1] } : null;
}

/** Where the line ends that only holds the label; null when there is none. */
function endOf(text: string, at: number, label: string): number | null {
  const end = new RegExp(`^[ \\t]*${label}\\b`, "gm");
  end.lastIndex = at;
  return end.exec(text) ? end.lastIndex : null;
}

/** Templates in templates are looked into so deep. */
const TEMPLATES_NESTED = 4;

/** Where the parts of a template end, from its opening sign on: text and code in turns, then the whole. */
function templateParts(text: string, from: number): number[] {
  const inside: ("text" | number)[] = ["text"];
  const ends: number[] = [];
  let at = from + 1;
  for (; at < text.length && inside.length > 0; at += 1) {
    const char = text[at];
    const place = inside.at(-1);
    if (char === "\\") at += 1;
    else if (place !== "text" && (char === '"' || char === "'")) at = quoteEnd(text, at);
    else if (char === "`") place === "text" ? inside.pop() : inside.push("text");
    else if (place === "text" && char === "$" && text[at + 1] === "{") {
      inside.push(0);
      at += 1;
      if (inside.length === 2) ends.push(at + 1);
    } else if (typeof place === "number" && char === "{") inside[inside.length - 1] = place + 1;
    else if (typeof place === "number" && char === "}") {
      if (place > 0) inside[inside.length - 1] = place - 1;
      else inside.pop();
      if (inside.length === 1 && place === 0) ends.push(at);
    }
  }
  return [...ends, at];
}

/** Where a quoted text ends that begins at `at`; the end of its line where it is never closed. */
function quoteEnd(text: string, at: number): number {
  const quoted = text[at] === "'" ? /'(?:[^'\\\n]|\\.)*/y : /"(?:[^"\\\n]|\\.)*/y;
  quoted.lastIndex = at;
  return at + (quoted.exec(text)?.[0].length ?? 0);
}

/** A JavaScript template with everything inside its `${}`; to the end of the text where it is never closed. */
function templateAt(text: string, from: number): string | null {
  return text[from] === "`" ? text.slice(from, templateParts(text, from).at(-1)) : null;
}

function canonicalTemplate(raw: string, language: Language, nesting: number): string {
  const parts: string[] = [];
  let from = 0;
  for (const [index, end] of templateParts(raw, 0).entries()) {
    const part = raw.slice(from, end);
    parts.push(index % 2 === 1 ? render(scan(part, language, nesting + 1), language) : part);
    from = end;
  }
  return parts.join("");
}

/** Numbers and the letters before a text in one case; `br` and `rb` are the same, and `u` is nothing. */
function canonicalWord(word: string, next: string | undefined, { name }: Language): string {
  if (/^\d/.test(word)) return word.toLowerCase();
  const isPrefix = name === "python" && /^[rbuf]{1,2}$/i.test(word) && /["']/.test(next ?? "");
  return isPrefix ? [...word.toLowerCase().replace("u", "")].sort().join("") : word;
}

function canonicalString(raw: string, { quotesAlike, name }: Language): string {
  if (!quotesAlike) return raw;
  const quote = /^(?:"""|'''|["'`])/.exec(raw)?.[0];
  if (quote === undefined || (quote === "`" && (name === "ruby" || raw.includes("${")))) return raw;
  const end = raw.length > quote.length && raw.endsWith(quote) ? -quote.length : undefined;
  const content = raw.slice(quote.length, end);
  if (name === "ruby" && /\\|#\{/.test(content)) return raw;
  const spelled = content.replaceAll(
    /\\(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8})/g,
    (code) => code.toLowerCase(),
  );
  return `"${spelled.replaceAll(/\\(['"`])/g, "$1").replaceAll('"', '\\"')}"`;
}
