const NEWLINE = 10;

/** One line without its newline, and where it lies. */
export interface Line {
  text: string;
  start: number;
  /** Just behind its newline. */
  end: number;
}

/**
 * Whole lines of a byte stream. Text is decoded per line, so no character is ever cut. What follows the last
 * newline is not a line yet and is left out. `start` is the position of the first byte.
 */
export async function* linesOf(chunks: AsyncIterable<Buffer>, start = 0): AsyncIterable<Line> {
  const open: Buffer[] = [];
  let from = start;
  let at = start;
  for await (const chunk of chunks) {
    let begin = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, begin)) {
      open.push(chunk.subarray(begin, end));
      const next = at + end + 1;
      yield { text: Buffer.concat(open).toString("utf8"), start: from, end: next };
      open.length = 0;
      from = next;
      begin = end + 1;
    }
    if (begin < chunk.length) open.push(chunk.subarray(begin));
    at += chunk.length;
  }
}

/** The same for bytes that are all there. */
export function linesIn(bytes: Buffer, start = 0): Line[] {
  const lines: Line[] = [];
  let begin = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, begin)) {
    const text = bytes.toString("utf8", begin, end);
    lines.push({ text, start: start + begin, end: start + end + 1 });
    begin = end + 1;
  }
  return lines;
}

/** What the line holds when it is JSON; undefined otherwise. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
