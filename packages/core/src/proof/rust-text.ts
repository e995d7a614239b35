/** Rust as text: where its comments and strings are, and where the items are that only tests are compiled with. */

/** A block of tests inside of a source, from its first character to the one behind its last. */
export interface TestBlock {
  from: number;
  to: number;
  /** Whether it stands in the file itself, and in no module, function or other item of it. */
  isOutermost: boolean;
  /** Its attributes and its name, without comments and in one line: what finds the same item in another version of the file. */
  header: string;
}

/**
 * The text with comments as spaces and literals as quotation marks, so that what looks like code is code. Every character
 * stays where it is, and so do line breaks outside of literals.
 */
export function maskRust(text: string): string {
  const parts: string[] = [];
  let done = 0;
  for (let at = 0; at < text.length; ) {
    const { end, filler } = tokenAt(text, at);
    if (filler !== null) {
      const token = text.slice(at, end);
      parts.push(
        text.slice(done, at),
        token.replaceAll(filler === " " ? /[^\n]/g : /[\s\S]/g, filler),
      );
      done = end;
    }
    at = end;
  }
  return parts.join("") + text.slice(done);
}

const RAW_STRING = /(?:b|c)?r(#*)"/y;
const CHARACTER = /b?'(?:\\u\{[^}\n]*\}|\\x[^'\n]{2}|\\[^\n]|[^\\'\n])'/uy;
const WORD = /[\p{L}\p{N}_]+/uy;

/** What begins at a place: its end, and what it is masked with; null for code. */
function tokenAt(text: string, at: number): { end: number; filler: " " | '"' | null } {
  if (text.startsWith("//", at)) {
    const end = text.indexOf("\n", at);
    return { end: end === -1 ? text.length : end, filler: " " };
  }
  if (text.startsWith("/*", at)) return { end: endOfComment(text, at), filler: " " };
  const raw = matchAt(RAW_STRING, text, at);
  if (raw) {
    const end = text.indexOf(`"${raw[1]}`, at + raw[0].length);
    return { end: end === -1 ? text.length : end + 1 + (raw[1] ?? "").length, filler: '"' };
  }
  const prefix = /[bc]/.test(text[at] ?? "") && text[at + 1] === '"' ? 1 : 0;
  if (text[at + prefix] === '"') return { end: endOfString(text, at + prefix), filler: '"' };
  const literal = matchAt(CHARACTER, text, at);
  if (literal) return { end: at + literal[0].length, filler: '"' };
  return { end: at + (matchAt(WORD, text, at)?.[0].length ?? 1), filler: null };
}

/** Comments stand in comments. */
function endOfComment(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    if (text.startsWith("/*", at)) depth += 1;
    else if (text.startsWith("*/", at)) depth -= 1;
    else continue;
    at += 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}

function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Attributes in a row, in a masked text. */
const ATTRIBUTES = /(?:#\s*\[[^[\]]*(?:\[[^[\]]*\][^[\]]*)*\]\s*)+/y;
/** What marks a test, or what is there for tests alone. */
const OF_TESTS =
  /#\s*\[\s*(?:cfg\s*\(\s*(?:test\s*\)|all\s*\((?!.*\bnot\s*\(\s*test\b).*\btest\b)|(?:\w+\s*::\s*)*test\w*\b|rstest\b)/s;
const MODIFIERS =
  /(?:(?:pub(?:\s*\([^)]*\))?|default|async|unsafe|safe|extern\s*"+|const(?=\s+(?:fn|unsafe|async|extern)\b))\s*)*/y;
/** Items that end with their closing brace, where no semicolon comes before it. */
const BRACED = /(?:(?:fn|mod|struct|enum|union|trait|impl)\b|[\w:]+\s*!|\{)/y;
/** Items that end with a semicolon, whatever braces they have. */
const CLOSED = /(?:use|const|static|type|extern\s+crate)\b/y;

/** Every item that bears an attribute of tests, none inside of another. Fields, arms and expressions are no items. */
export function rustTestItems(text: string): TestBlock[] {
  const masked = maskRust(text);
  const found: TestBlock[] = [];
  let depth = 0;
  for (let at = 0; at < masked.length; at += 1) {
    const sign = masked[at] ?? "";
    if (sign === "#") {
      const attributes = matchAt(ATTRIBUTES, masked, at)?.[0];
      if (attributes === undefined) continue;
      const item = at + attributes.length;
      const to = OF_TESTS.test(attributes) ? endOfItem(masked, item) : null;
      if (to !== null) {
        const header = masked.slice(at, to).split(/[{;]/, 1)[0] ?? "";
        const from = withDocumentation(text, masked, at);
        found.push({
          from,
          to,
          isOutermost: depth === 0,
          header: header.split(/\s+/).join(" ").trim(),
        });
      }
      at = (to ?? item) - 1;
    } else if ("([{".includes(sign)) depth += 1;
    else if (")]}".includes(sign)) depth -= 1;
  }
  return found;
}

/** The end of an item behind its attributes; null where there is none. */
function endOfItem(masked: string, from: number): number | null {
  const at = from + (matchAt(MODIFIERS, masked, from)?.[0].length ?? 0);
  const isBraced = matchAt(BRACED, masked, at) !== null;
  if (!isBraced && matchAt(CLOSED, masked, at) === null) return null;
  let depth = 0;
  for (let n = at; n < masked.length; n += 1) {
    const sign = masked[n] ?? "";
    if ("([{".includes(sign)) depth += 1;
    else if (")]}".includes(sign)) depth -= 1;
    if (depth < 0) return null;
    if (depth === 0 && (sign === ";" || (sign === "}" && isBraced))) return n + 1;
  }
  return masked.length;
}

/** The beginning of the line of an item, where nothing else stands in it, and of the documentation above it. */
function withDocumentation(text: string, masked: string, at: number): number {
  const lineOf = (place: number) => masked.lastIndexOf("\n", place - 1) + 1;
  let from = lineOf(at);
  if (masked.slice(from, at).trim() !== "") return at;
  while (from > 0) {
    const above = lineOf(from - 1);
    const isDocumentation = /^\s*\/\/\//.test(text.slice(above, from));
    if (!isDocumentation || masked.slice(above, from).trim() !== "") break;
    from = above;
  }
  return from;
}
