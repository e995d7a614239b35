const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** Bytes of a line that are kept; the rest of a longer line is dropped. */
export const LINE_KEPT = 64 * 1024;

/** Cuts a stream of bytes into lines without their line ends; a line never holds more than its limit. */
export interface LineCutter {
  write(chunk: Buffer): void;
  /** Hands out what was left without a line end. */
  end(): void;
}

/** `limitOf` is asked with the first `LINE_KEPT` bytes of a longer line and may raise its limit. */
export function lineCutter(
  onLine: (line: Buffer) => void,
  limitOf: (head: Buffer) => number = () => LINE_KEPT,
): LineCutter {
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
    write(chunk) {
      let from = 0;
      for (let to = chunk.indexOf(NEWLINE); to !== -1; to = chunk.indexOf(NEWLINE, from)) {
        emit(chunk.subarray(from, to));
        from = to + 1;
      }
      keep(chunk.subarray(from));
    },
    end() {
      if (size > 0) emit(Buffer.alloc(0));
    },
  };
}
