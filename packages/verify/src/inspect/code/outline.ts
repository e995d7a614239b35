import type { Language } from "./languages.ts";
import { spell } from "./render.ts";
import type { Token } from "./scan.ts";

/** A statement, or the head of a block: `if (x) {`, `def f():`, `describe("a", () => {`. */
export interface Statement {
  /** In the one spelling of `render`. */
  text: string;
  /** The same without what its literals hold. */
  bare: string;
  tokens: readonly Token[];
  /** 1-based lines, both included. */
  first: number;
  last: number;
  /** The head of the block it stands in, by its place in the list; -1 for none. */
  parent: number;
  depth: number;
}

/** Where the splitters put what they found. */
export class Outline {
  readonly statements: Statement[] = [];
  readonly #language: Language;

  constructor(language: Language) {
    this.#language = language;
  }

  /** The place of the new statement; -1 where the tokens are nothing but closing signs. */
  add(tokens: readonly Token[], parent: number): number {
    const first = tokens[0];
    const last = tokens.findLast(({ kind }) => kind !== "newline");
    if (!first || !last) return -1;
    const { text, bare } = spell(tokens, this.#language);
    if (/^[)\]};,]*$/.test(text)) return -1;
    this.statements.push({
      text,
      bare,
      tokens,
      first: first.line,
      last: last.line + lineBreaks(last.text),
      parent,
      depth: parent === -1 ? 0 : (this.statements[parent]?.depth ?? 0) + 1,
    });
    return this.statements.length - 1;
  }
}

function lineBreaks(text: string): number {
  return text.split("\n").length - 1;
}

/** Annotations and decorators belong to what follows them. */
export function isDecorator(tokens: readonly Token[]): boolean {
  const code = tokens.filter(({ kind }) => kind !== "newline");
  if (code[0]?.text !== "@" || code.length < 2) return false;
  let depth = 0;
  return code.every((token, at) => {
    if (token.kind === "sign" && /[([{]/.test(token.text)) depth += 1;
    else if (token.kind === "sign" && /[)\]}]/.test(token.text)) depth -= 1;
    else if (depth === 0) {
      const before = code[at - 1]?.text;
      if (token.text === "@" || token.text === "." || token.text === ":") return true;
      return token.kind === "word" && (before === "@" || before === "." || before === ":");
    }
    return true;
  });
}
