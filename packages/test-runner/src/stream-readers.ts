import { brokenBound, errorText } from "@ccw-loop/core";
import sax, { type SAXParser, type Tag } from "sax";

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** Bytes of a line that are kept; the rest of a longer line is dropped. */
export const LINE_KEPT = 64 * 1024;

/**
 * Cuts a stream of bytes into lines without their line ends; a line never holds more than its limit. `limitOf` is asked with the first `LINE_KEPT` bytes of a longer line and may raise its limit.
 */
export function lineCutter(
  onLine: (line: Buffer) => void,
  limitOf: (head: Buffer) => number = () => LINE_KEPT,
) {
  let parts: Buffer[] = [];
  let size = 0;
  let limit = LINE_KEPT;
  let asked = false;

  const keep = (part: Buffer) => {
    if (part.length === 0) return;
    if (size + part.length > limit && !asked) {
      asked = true;
      const head = Buffer.concat([...parts, part.subarray(0, LINE_KEPT - size)]);
      limit = Math.max(limit, limitOf(head));
    }
    if (size >= limit) return;
    // A copy: the chunk it came from must not be held.
    const kept = Buffer.from(part.subarray(0, limit - size));
    parts.push(kept);
    size += kept.length;
  };
  const emit = (last: Buffer) => {
    let line = last;
    if (size > 0 || last.length > LINE_KEPT) {
      keep(last);
      line = Buffer.concat(parts, size);
      parts = [];
      size = 0;
      limit = LINE_KEPT;
      asked = false;
    }
    onLine(line.at(-1) === RETURN ? line.subarray(0, -1) : line);
  };

  return {
    write(chunk: Buffer): void {
      let from = 0;
      for (let to = chunk.indexOf(NEWLINE); to !== -1; to = chunk.indexOf(NEWLINE, from)) {
        emit(chunk.subarray(from, to));
        from = to + 1;
      }
      keep(chunk.subarray(from));
    },
    /** Hands out what was left without a line end. */
    end(): void {
      if (size > 0) emit(Buffer.alloc(0));
    },
  };
}

/** Larger documents of JSON are not read, for that is done as a whole. */
const JSON_BYTES = 256 * 1024 * 1024;
const JSON_BOUNDS = { depth: 1000, values: 30_000_000 };

/** Holds a document of JSON until its end. */
export function jsonReader() {
  let chunks: Buffer[] = [];
  let bytes = 0;
  return {
    write(chunk: Buffer): void {
      bytes += chunk.length;
      if (bytes > JSON_BYTES) chunks = [];
      else chunks.push(chunk);
    },
    /** What it holds, or what is wrong with it. */
    end(): { value: unknown; problem: null } | { problem: string } {
      if (bytes > JSON_BYTES) return { problem: "it is larger than 256 MB" };
      const text = Buffer.concat(chunks).toString();
      if (brokenBound(text, JSON_BOUNDS) !== null) {
        return { problem: "it is nested too deeply, or has too many values" };
      }
      try {
        return { value: JSON.parse(text), problem: null };
      } catch {
        return { problem: "it is not valid JSON, or cut off" };
      }
    },
  };
}

/** The longest attribute that is read; under CI pytest puts whole diffs into `message`. */
Object.assign(sax, { MAX_BUFFER_LENGTH: 1024 * 1024 });

const MAX_XML_DEPTH = 100;
const ATTRIBUTES = 1000;
/** Enough for an XML declaration, which ends with the first `>`. */
const HEAD = 256;
const DECLARATION_END = 0x3e;

export type Attributes = Readonly<Record<string, string>>;

export interface XmlHandler {
  /** `depth` is 1 for the root. */
  open(name: string, attributes: Attributes, depth: number): void;
  close(name: string): void;
  /** Text and CDATA, in pieces. */
  text(text: string): void;
}

/**
 * Hands out a document while it streams by. A document type with declarations is refused and no entity but XML's
 * own five is ever replaced; depth and attributes are bounded. Reads the encoding that the document names.
 */
export function xmlReader(handler: XmlHandler) {
  const parser: SAXParser = sax.parser(true, { strictEntities: true } as sax.SAXOptions);
  let head: Buffer | null = Buffer.alloc(0);
  let decoder = new TextDecoder();
  let root = "";
  let depth = 0;
  let attributes = 0;
  let problem: string | null = null;

  const refuse = (words: string) => {
    problem ??= words;
    throw new Error(words);
  };
  parser.onerror = (error) => {
    // Terminal colours arrive as references to characters that XML forbids; they are no damage.
    if (!error.message.startsWith("Invalid character entity")) refuse(firstLine(error.message));
    Object.assign(parser, { error: null });
  };
  parser.ondoctype = (text) => {
    if (text.includes("[")) refuse("it declares its own document type");
  };
  parser.onattribute = () => {
    attributes += 1;
    if (attributes > ATTRIBUTES) refuse("an element has too many attributes");
  };
  parser.onopentag = (tag) => {
    attributes = 0;
    if (depth === 0 && root !== "") refuse("something follows its end");
    depth += 1;
    root ||= tag.name;
    if (depth > MAX_XML_DEPTH) refuse("its elements are nested too deeply");
    handler.open(tag.name, (tag as Tag).attributes, depth);
  };
  parser.onclosetag = (name) => {
    depth -= 1;
    handler.close(name);
  };
  parser.ontext = handler.text;
  parser.oncdata = handler.text;

  const feed = (action: () => void) => {
    if (problem !== null) return;
    try {
      action();
    } catch (error) {
      problem ??= firstLine(errorText(error));
    }
  };
  const begin = (bytes: Buffer) => {
    const encoding = encodingOf(bytes);
    head = null;
    try {
      decoder = new TextDecoder(encoding);
    } catch {
      refuse(`its encoding "${encoding}" is unknown`);
    }
    parser.write(decoder.decode(bytes, { stream: true }));
  };

  return {
    write: (chunk: Buffer): void =>
      feed(() => {
        if (head === null) parser.write(decoder.decode(chunk, { stream: true }));
        else {
          head = Buffer.concat([head, chunk]);
          if (head.length >= HEAD || head.includes(DECLARATION_END)) begin(head);
        }
      }),
    /** Null when the document was whole, else what is wrong with it. */
    end(): string | null {
      feed(() => {
        if (head !== null) begin(head);
        parser.write(decoder.decode()).close();
      });
      return problem;
    },
    /** The name of the root element; empty before it. */
    root: () => root,
    /** The root element was closed, or nothing more can be read. */
    isOver: () => problem !== null || (root !== "" && depth === 0),
  };
}

/** By its byte order mark, by the pattern of its first bytes, or as it says itself; UTF-8 where nothing tells. */
function encodingOf(head: Buffer): string {
  const start = head.subarray(0, 2).toString("hex");
  if (start === "fffe" || start === "3c00") return "utf-16le";
  if (start === "feff" || start === "003c") return "utf-16be";
  const declared = /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(
    head.subarray(0, HEAD).toString("latin1"),
  )?.[1];
  // Who could read that word in single bytes has no wide characters before them.
  return declared === undefined || /^utf-?16|^ucs/i.test(declared) ? "utf-8" : declared;
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0]?.slice(0, 500) ?? "";
}
