import type { Language } from "./languages.ts";
import type { Token } from "./scan.ts";

/** Tokens in the one spelling in which code is compared: without what formatters add and take away. */
export function render(tokens: readonly Token[], language: Language): string {
  return spell(tokens, language).text;
}

/** The same, beside it without what the literals hold. */
export function spell(
  tokens: readonly Token[],
  { name }: Language,
): { text: string; bare: string } {
  let text = "";
  let bare = "";
  let word = false;
  for (const token of tidy(tokens, name)) {
    const wordy = token.kind === "word";
    const space = wordy && word ? " " : "";
    text += space + token.text;
    bare += space + (token.kind === "string" ? '""' : token.text);
    word = wordy;
  }
  const plain = (spelled: string) =>
    name === "python" ? spelled.replace(/^(.*\bclass \w+)\(\):$/, "$1:") : spelled;
  return { text: plain(text), bare: plain(bare) };
}

/** Words that no call begins with. */
const OPERATOR = /^(?:assert|return|await|yield|in|is|not|and|or|if|while|case|raise)$/;

interface Bracket {
  sign: string;
  /** Its index in the list. */
  at: number;
  call: boolean;
  commas: number;
}

const CLOSES: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/** Leaves out line breaks, trailing commas, idle brackets, and what parts the members of a TypeScript type. */
function tidy(all: readonly Token[], language: Language["name"]): Token[] {
  const typescript = language === "javascript";
  const tokens = all.filter(({ kind, text, line }, at) => {
    const joins = text === "\\" && kind === "sign" && (all[at + 1]?.line ?? line) > line;
    return kind !== "newline" && !joins;
  });
  const list: (Token | null)[] = [];
  const open: Bracket[] = [];
  for (const [index, token] of tokens.entries()) {
    const sign = token.kind === "sign" ? token.text : "";
    const around = open.at(-1);
    const last = list.at(-1);
    if (typescript && sign === ";" && around?.sign === "{") continue;
    if (typescript && sign === "|" && LEADING.test(last?.text ?? "")) continue;
    if (/^[([{]$/.test(sign)) {
      const call =
        last?.kind === "word" ? !OPERATOR.test(last.text) : /^[)\]]$/.test(last?.text ?? "");
      open.push({ sign, at: list.length, call, commas: 0 });
    } else if (CLOSES[sign]) {
      if (around?.sign === CLOSES[sign]) open.pop();
      // `(a,)` is a tuple of one in several languages, and no `(a)`.
      const tuple = around?.sign === "(" && !around.call && around.commas === 1;
      if (last?.text === "," && last.kind === "sign" && !tuple) list.pop();
      const next = tokens[index + 1]?.text ?? "";
      if (around && sign === ")" && isIdle(list, around, next, language)) {
        list[around.at] = null;
        continue;
      }
    } else if (sign === "," && around) around.commas += 1;
    else if (typescript && sign === "=" && tokens[index + 1]?.text === ">") bareParameter(list);
    list.push(token);
  }
  return list.filter((token) => token !== null);
}

/** `(x) =>` may as well be written `x =>`. */
function bareParameter(list: (Token | null)[]): void {
  const [before, open, name, close] = list.slice(-4);
  const callee =
    (before?.kind === "word" && !/^async$/.test(before.text) && !OPERATOR.test(before.text)) ||
    /^[)\]]$/.test(before?.text ?? "");
  if (open?.text !== "(" || name?.kind !== "word" || close?.text !== ")" || callee) return;
  list.splice(-3, 3, name);
}

/** Signs behind which the first `|` of a type may stand or not. */
const LEADING = /^[:=(<,>]$/;

/** Whether a bracket only groups a whole value, as formatters add and take it away. */
function isIdle(
  list: readonly (Token | null)[],
  { sign, at, commas }: Bracket,
  next: string,
  language: Language["name"],
): boolean {
  const before = list[at - 1];
  if (sign !== "(" || list.length <= at + 1) return false;
  const python = language === "python";
  if (before?.kind === "word") {
    if (python && before.text === "for") return next === "in";
    if (python && before.text === "except") return commas === 0 && /^(?::|as)$/.test(next);
    if (python && next === ":") return commas === 0 ? HEAD.test(before.text) : before.text === "in";
    if (!ENDS.test(next)) return false;
    // `assert (a, b)` is another thing than `assert a, b`.
    if (commas > 0) return python && next === "" && /^(?:return|import)$/.test(before.text);
    return VALUE_FOLLOWS.test(before.text);
  }
  if (!ENDS.test(next)) return false;
  const operator = list[at - 2]?.text ?? "";
  const assigns = before?.text === "=" && !/^[=!<>]$/.test(operator);
  if (commas > 0) return python && assigns && next === "";
  const arrow = before?.text === ">" && operator === "=" && list[at + 1]?.text !== "{";
  return assigns || arrow || /^[,([]$/.test(before?.text ?? "");
}

const ENDS = /^[)\]},;]?$/;
const VALUE_FOLLOWS = /^(?:assert|return|import|await|yield)$/;
/** Words of Python whose value ends at the colon. */
const HEAD = /^(?:if|elif|while|in|with|not)$/;
