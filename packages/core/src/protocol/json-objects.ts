/** A stretch of a text; `end` is exclusive. */
export interface Span {
  start: number;
  end: number;
}

/** Deeper nesting is no answer of an agent and would overflow whoever writes it out again. */
const MAX_DEPTH = 200;

/** What may follow the brace of an object. */
const OBJECT_GOES_ON = '" \t\r\n}';

/**
 * The JSON objects in a text, whatever surrounds them, in order and none inside another: strict JSON, at
 * least `minLength` characters.
 *
 * Linear on any input. An attempt begins only at a `{` that no earlier attempt read as the beginning of an
 * object, so that each earlier attempt still alive there reads it inside a string. Two attempts that are
 * alive at the same character therefore never agree on whether it is inside a string, and there can be two
 * of them at most: no character is read more than twice.
 */
export function jsonObjects(text: string, minLength = 2): Span[] {
  const found: Span[] = [];
  const begun = new Uint8Array(text.length);
  let at = text.indexOf("{");
  while (at !== -1) {
    let next = at + 1;
    if (begun[at] !== 1 && OBJECT_GOES_ON.includes(text[next] ?? "x")) {
      const closed = readObject(text, at, begun);
      for (const span of closed) if (span.end - span.start >= minLength) found.push(span);
      const whole = closed.find((span) => span.start === at);
      if (whole) next = whole.end;
    }
    at = text.indexOf("{", next);
  }
  return found.sort((a, b) => a.start - b.start);
}

const PRIMITIVE = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

/** The signs that a value may begin with; `0` stands for a word or a number. */
const VALUE = '{["0';

/** The object that begins at `start`, or, when it breaks off, the objects completed inside it. */
function readObject(text: string, start: number, begun: Uint8Array): Span[] {
  const open: number[] = [];
  const closed: Span[] = [];
  /** What the grammar allows next. */
  let allowed = "{";
  for (let at = start, end = at; at < text.length; at = end) {
    const char = text.charAt(at);
    end = at + 1;
    if (" \n\r\t".includes(char)) continue;
    const sign = '{}[]:,"'.includes(char) ? char : "0";
    if (!allowed.includes(sign)) return closed;
    if (sign === '"') end = stringEnd(text, at);
    if (sign === "0") end = endOf(PRIMITIVE, text, at);
    if (end === -1) return closed;

    if (sign === "{" || sign === "[") {
      if (open.length === MAX_DEPTH) return closed;
      begun[at] = 1;
      open.push(at);
      allowed = sign === "{" ? '"}' : `${VALUE}]`;
    } else if (sign === ":") {
      allowed = VALUE;
    } else if (sign === ",") {
      allowed = isInObject(text, open) ? '"' : VALUE;
    } else if (sign === '"' && !allowed.includes("0")) {
      allowed = ":";
    } else {
      const from = sign === "}" || sign === "]" ? open.pop() : undefined;
      if (from !== undefined && sign === "}") {
        while ((closed.at(-1)?.start ?? -1) > from) closed.pop();
        closed.push({ start: from, end });
      }
      if (open.length === 0) return closed;
      allowed = isInObject(text, open) ? ",}" : ",]";
    }
  }
  return closed;
}

function isInObject(text: string, open: readonly number[]): boolean {
  return text[open.at(-1) ?? 0] === "{";
}

/** The end of what a sticky pattern matches at `at`; -1 where it does not match. */
export function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

const HEX = /[0-9a-fA-F]{4}/y;

/** Where the string that begins at `at` ends, after its closing quote; -1 when it is not a JSON string. */
export function stringEnd(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code < 0x20) return -1;
    if (code === 0x22) return i + 1;
    if (code !== 0x5c) continue;
    i += 1;
    const escaped = text[i] ?? "";
    if (escaped === "u") {
      if (endOf(HEX, text, i + 1) === -1) return -1;
      i += 4;
    } else if (!'"\\/bfnrt'.includes(escaped) || escaped === "") return -1;
  }
  return -1;
}
