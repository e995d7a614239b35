/** A stretch of a text; `end` is exclusive. */
export interface Span {
  start: number;
  end: number;
}

/** Deeper nesting is no answer of an agent and would overflow whoever writes it out again. */
const MAX_DEPTH = 200;

/** What may follow the brace of an object. */
const OBJECT_GOES_ON = '" \t\r\n}';

/** What the grammar of JSON allows next. */
type Expect = "value" | "value or ]" | "key" | "key or }" | ":" | ", or }" | ", or ]";

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

/** The object that begins at `start`, or, when it breaks off, the objects completed inside it. */
function readObject(text: string, start: number, begun: Uint8Array): Span[] {
  const open: number[] = [];
  const closed: Span[] = [];
  let expect: Expect = "value";
  let at = start;

  const close = (): Expect | undefined => {
    const from = open.pop() ?? start;
    if (text[from] === "{") {
      while ((closed.at(-1)?.start ?? -1) > from) closed.pop();
      closed.push({ start: from, end: at + 1 });
    }
    const outer = open.at(-1);
    return outer === undefined ? undefined : text[outer] === "{" ? ", or }" : ", or ]";
  };

  for (; at < text.length; at += 1) {
    const char = text[at];
    if (char === " " || char === "\n" || char === "\r" || char === "\t") continue;
    const wantsValue: boolean = expect === "value" || expect === "value or ]";
    if ((char === "{" || char === "[") && wantsValue) {
      if (open.length === MAX_DEPTH) return closed;
      begun[at] = 1;
      open.push(at);
      expect = char === "{" ? "key or }" : "value or ]";
    } else if (char === '"' && (wantsValue || expect === "key" || expect === "key or }")) {
      const end = stringEnd(text, at);
      if (end === -1) return closed;
      at = end - 1;
      expect = wantsValue ? afterValue(text, open) : ":";
    } else if (char === ":" && expect === ":") {
      expect = "value";
    } else if (char === "," && (expect === ", or }" || expect === ", or ]")) {
      expect = expect === ", or }" ? "key" : "value";
    } else if (
      (char === "}" && (expect === ", or }" || expect === "key or }")) ||
      (char === "]" && (expect === ", or ]" || expect === "value or ]"))
    ) {
      const after = close();
      if (after === undefined) return closed;
      expect = after;
    } else {
      const end = wantsValue ? primitiveEnd(text, at) : -1;
      if (end === -1) return closed;
      at = end - 1;
      expect = afterValue(text, open);
    }
  }
  return closed;
}

function afterValue(text: string, open: readonly number[]): Expect {
  return text[open.at(-1) ?? 0] === "{" ? ", or }" : ", or ]";
}

const PRIMITIVE = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

function primitiveEnd(text: string, at: number): number {
  PRIMITIVE.lastIndex = at;
  return PRIMITIVE.test(text) ? PRIMITIVE.lastIndex : -1;
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
      HEX.lastIndex = i + 1;
      if (!HEX.test(text)) return -1;
      i += 4;
    } else if (!'"\\/bfnrt'.includes(escaped) || escaped === "") return -1;
  }
  return -1;
}
