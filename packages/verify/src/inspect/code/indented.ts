import { LINES } from "./languages.ts";
import { isDecorator, Outline, type Statement } from "./outline.ts";
import type { Token } from "./scan.ts";

const OPENS = /^[([{]$/;
const CLOSES = /^[)\]}]$/;

/** Lines as statements, where nothing is known of the language. */
export function splitLines(text: string): Statement[] {
  const outline = new Outline(LINES);
  text.split("\n").forEach((source, index) => {
    const line = source.trim().replaceAll(/\s+/g, " ");
    if (line === "") return;
    outline.add([{ kind: "string", text: line, line: index + 1, spaced: true, indent: 0 }], -1);
  });
  return outline.statements.map((statement) => ({ ...statement, bare: statement.text }));
}

/** A logical line, with how far it is indented. */
interface Line {
  tokens: Token[];
  indent: number;
}

/** Tokens by logical lines: a line break inside brackets, or one that `joins`, ends nothing. */
function* logicalLines(
  tokens: readonly Token[],
  joins: (before: Token, after: Token) => boolean,
): Generator<Line> {
  let line: Line = { tokens: [], indent: 0 };
  let depth = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.kind === "sign" && OPENS.test(token.text)) depth += 1;
    else if (token.kind === "sign" && CLOSES.test(token.text)) depth = Math.max(0, depth - 1);
    const last = line.tokens.at(-1);
    const next = tokens[index + 1];
    if (token.kind === "newline") {
      if (depth > 0 || (last && next && joins(last, next))) continue;
      if (last) yield line;
      line = { tokens: [], indent: token.indent };
    } else if (token.text === ";" && token.kind === "sign" && depth === 0) {
      if (last) yield line;
      line = { tokens: [], indent: line.indent };
    } else line.tokens.push(token);
  }
  if (line.tokens.length > 0) yield line;
}

const COMPOUND = /^(?:if|elif|else|for|while|try|except|finally|with|def|class|async|match|case)$/;

/** For languages whose blocks are lines that stand deeper (Python). */
export function splitIndented(tokens: readonly Token[], outline: Outline): void {
  const heads: { indent: number; at: number }[] = [];
  let decorators: Token[] = [];
  for (const { tokens: line, indent } of logicalLines(tokens, (last) => last.text === "\\")) {
    if (isDecorator(line)) {
      decorators.push(...line);
      continue;
    }
    while ((heads.at(-1)?.indent ?? -1) >= indent) heads.pop();
    const parent = heads.at(-1)?.at ?? -1;
    const colon = headEnd(line);
    // A text alone is a comment.
    if (line.every(({ kind }) => kind === "string")) continue;
    const head = colon === -1 ? line : line.slice(0, colon + 1);
    const at = outline.add([...decorators, ...head], parent);
    decorators = [];
    if (colon === -1) continue;
    heads.push({ indent, at });
    const body = line.slice(colon + 1);
    if (body.some(({ kind }) => kind !== "string")) outline.add(body, at);
  }
}

/** The colon that ends the head of a compound statement; -1 in a simple one. */
function headEnd(line: readonly Token[]): number {
  if (!COMPOUND.test(line[0]?.text ?? "")) return -1;
  let depth = 0;
  return line.findIndex(({ kind, text }) => {
    if (kind !== "sign") return false;
    if (OPENS.test(text)) depth += 1;
    else if (CLOSES.test(text)) depth -= 1;
    return text === ":" && depth === 0;
  });
}

const BLOCK_WORD = /^(?:def|class|module|if|unless|while|until|case|begin|for)$/;
const GOES_ON = /^[,.+\-*/&=\\<(]$/;

/** For languages whose blocks go up to `end` (Ruby). */
export function splitToEnd(tokens: readonly Token[], outline: Outline): void {
  const heads: number[] = [];
  const joins = (last: Token, next: Token) =>
    (last.kind === "sign" && GOES_ON.test(last.text)) ||
    (next.kind === "sign" && /^[.&]$/.test(next.text));
  for (const { tokens: line } of logicalLines(tokens, joins)) {
    const first = line[0]?.text ?? "";
    if (first === "end") {
      heads.pop();
      if (line.length === 1) continue;
    }
    // A text alone is a comment.
    if (line.every(({ kind }) => kind === "string")) continue;
    const at = outline.add(line, heads.at(-1) ?? -1);
    if (first !== "end" && at !== -1 && opensToEnd(line)) heads.push(at);
  }
}

function opensToEnd(line: readonly Token[]): boolean {
  const texts = line.map(({ text }) => text);
  const doAt = texts.findLastIndex((text, at) => text === "do" && line[at]?.kind === "word");
  if (doAt !== -1 && !/^(?:while|until|for)$/.test(texts[0] ?? "")) {
    const rest = texts.slice(doAt + 1);
    if (rest.length === 0 || (rest[0] === "|" && rest.at(-1) === "|")) return true;
  }
  const value = texts.findIndex((text, at) => text === "=" && BLOCK_WORD.test(texts[at + 1] ?? ""));
  if (value !== -1 && texts[value + 1] !== "def") return !texts.includes("end");
  if (!BLOCK_WORD.test(texts[0] ?? "")) return false;
  const endless = texts[0] === "def" && endlessDef(texts);
  return !endless && texts.at(-1) !== "end";
}

/** `def name(x) = value` */
function endlessDef(texts: readonly string[]): boolean {
  const close = texts[2] === "(" ? texts.indexOf(")") : 1;
  return texts[close + 1] === "=" && texts[close + 2] !== "=";
}
