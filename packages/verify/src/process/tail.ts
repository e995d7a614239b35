import { stripVTControlCharacters } from "node:util";

const BYTES = 64 * 1024;
const LINES = 200;

/** The last lines of an output, in bounded memory. */
export interface OutputTail {
  write(chunk: Buffer): void;
  /** At most 200 lines and 64 KB, without terminal control sequences. */
  text(): string;
}

export function tail(): OutputTail {
  let chunks: Buffer[] = [];
  let size = 0;
  return {
    write(chunk) {
      chunks.push(chunk);
      size += chunk.length;
      if (size < 4 * BYTES) return;
      const kept = Buffer.from(Buffer.concat(chunks).subarray(-BYTES));
      chunks = [kept];
      size = kept.length;
    },
    text() {
      const bytes = Buffer.concat(chunks).subarray(-BYTES);
      // A character that was cut in two at the front is dropped, not shown as damage.
      let start = 0;
      while (start < 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
      const text = stripVTControlCharacters(bytes.subarray(start).toString());
      const lines = text.replaceAll("\r\n", "\n").split("\n");
      const blank = lines.at(-1) === "" ? 1 : 0;
      return lines.slice(-LINES - blank).join("\n");
    },
  };
}
