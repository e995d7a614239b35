import { MAX_FILE_BYTES, tooLarge } from "@ccw-loop/processes/plain-file";
import { type Disk, NOT_TEXT } from "../fs/disk.ts";

const NEWLINE = 10;
/** No line of ours is longer: what a line holds was part of a commit, with a little more around it. */
const LONGEST = MAX_FILE_BYTES / 3;

/** One line without its newline, and where it lies. */
export interface Line {
  text: string;
  start: number;
  /** Just behind its newline. */
  end: number;
}

/**
 * Whole lines of a byte stream. Text is decoded per line, so no character is ever cut. What follows the last
 * newline is not a line yet and is left out. `start` is the position of the first byte. What is longer than any
 * line of ours is `NOT_TEXT`, newline or not, and is not kept in memory.
 */
export async function* linesOf(chunks: AsyncIterable<Buffer>, start = 0): AsyncIterable<Line> {
  const open: Buffer[] = [];
  let from = start;
  let at = start;
  const isTooLong = (end: number) => end - from > LONGEST;
  const lineTo = (end: number): Line => ({
    text: isTooLong(end) ? NOT_TEXT : Buffer.concat(open).toString("utf8"),
    start: from,
    end,
  });
  for await (const chunk of chunks) {
    let begin = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, begin)) {
      open.push(chunk.subarray(begin, end));
      const next = at + end + 1;
      yield lineTo(next);
      open.length = 0;
      from = next;
      begin = end + 1;
    }
    at += chunk.length;
    if (isTooLong(at)) open.length = 0;
    else if (begin < chunk.length) open.push(chunk.subarray(begin));
  }
  if (isTooLong(at)) yield lineTo(at);
}

/** The same for bytes that are all there. */
export function linesIn(bytes: Buffer, start = 0): Line[] {
  const lines: Line[] = [];
  let begin = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, begin)) {
    const text = end - begin > LONGEST ? NOT_TEXT : bytes.toString("utf8", begin, end);
    lines.push({ text, start: start + begin, end: start + end + 1 });
    begin = end + 1;
  }
  return lines;
}

const TAILS = [64 * 1024, 2 * 1024 * 1024, MAX_FILE_BYTES];

/**
 * The lines at the end of a file: some, more, and then all that can tell anything, for as long as the caller asks. Throws
 * when a file that goes on before them had no line in them that the caller could use.
 */
export function* tailsOf(
  disk: Disk,
  path: string,
  size = disk.info(path)?.size ?? 0,
): Generator<{ lines: Line[]; isAll: boolean }> {
  for (const length of TAILS) {
    const start = Math.max(0, size - length);
    yield { lines: linesIn(disk.readBytes(path, start, size - start), start), isAll: start === 0 };
    if (start === 0) return;
  }
  throw tooLarge(path, size);
}
