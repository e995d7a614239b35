import { endsHere } from "../code/braces.ts";
import type { Language } from "../code/languages.ts";
import { render } from "../code/render.ts";
import type { Token } from "../code/scan.ts";
import type { Entry } from "./entries.ts";

/** What the object literals of a JavaScript file set, by path; its other code, line by line, without a path. */
export function codeEntries(tokens: readonly Token[], language: Language): Entry[] {
  const entries: Entry[] = [];
  /** Keys of the objects around, `[]` for a list, and null for other brackets. */
  const around: (string | null)[] = [];
  let rest: Token[] = [];
  let value: Token[] = [];
  let key: string | null = null;
  let line = 1;
  let restLine = 1;

  const path = () => {
    const parts = [...around, key].filter((part) => part !== null && part !== "");
    return parts.join(".").replaceAll(".[]", "[]");
  };
  const endValue = () => {
    if (value.length > 0 && (key !== null || around.at(-1) === "[]")) {
      entries.push({ path: path(), value: render(value, language), line });
    } else rest.push(...value);
    value = [];
    key = null;
  };
  const endRest = () => {
    const text = render(rest, language);
    if (/\w/.test(text.replace(FRAME, ""))) entries.push({ path: "", value: text, line: restLine });
    rest = [];
  };

  for (const [at, token] of tokens.entries()) {
    const sign = token.kind === "sign" ? token.text : "";
    const inside = around.length > 0 && around.at(-1) !== null;
    if (token.kind === "newline" || sign === ";") {
      if (around.length > 0) continue;
      const current = value.length > 0 ? value : rest;
      if (token.kind === "newline" && !endsHere(current, tokens[at + 1], language)) continue;
      endValue();
      endRest();
      continue;
    }
    const isEmpty = value.length === 0;
    if (isEmpty) line = token.line;
    if (rest.length === 0) restLine = token.line;
    if (inside && isEmpty && key === null && isKey(tokens, at)) key = nameOf(token);
    else if (inside && sign === ":" && isEmpty && key !== null) continue;
    else if (sign === "{" && isObject(tokens, at)) {
      rest.push(...value);
      value = [];
      around.push(key ?? "");
      key = null;
    } else if (sign === "[" && key !== null && isEmpty) {
      around.push(key, "[]");
      key = null;
    } else if (/^[([{]$/.test(sign)) {
      value.push(token);
      around.push(null);
    } else if (/^[)\]}]$/.test(sign)) {
      if (inside) endValue();
      else value.push(token);
      if (around.at(-1) === "[]") around.pop();
      around.pop();
    } else if (sign === "," && inside) endValue();
    else value.push(token);
  }
  endValue();
  endRest();
  return entries;
}

/** What stands around the object that a configuration exports. */
const FRAME =
  /^(?:export default|module\.exports=)? ?(?:defineConfig|defineProject|defineWorkspace|mergeConfig)?[()]*$/;

function nameOf({ text }: Token): string {
  return text.replace(/^"(.*)"$/s, "$1");
}

function isKey(tokens: readonly Token[], at: number): boolean {
  const next = tokens[at + 1];
  return tokens[at]?.kind !== "sign" && next?.text === ":" && next.kind === "sign";
}

/** Whether a brace begins an object literal: a key stands in it, or a spread, or nothing. */
function isObject(all: readonly Token[], at: number): boolean {
  const tokens = all.slice(at + 1, at + 6).filter(({ kind }) => kind !== "newline");
  const [first, second] = tokens;
  if (!first || first.text === "}" || first.text === ".") return true;
  return isKey(tokens, 0) || second?.text === "," || second?.text === "}";
}
