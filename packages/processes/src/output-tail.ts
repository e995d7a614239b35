import { stripVTControlCharacters } from "node:util";

/** The end of an output, in bounded memory. */
export interface OutputTail {
  write(chunk: Buffer): void;
  /** Without terminal control sequences. */
  text(): string;
}

/** Keeps the last bytes, and of these the last lines. */
export function outputTail({
  bytes: most,
  lines: mostLines = Number.POSITIVE_INFINITY,
}: {
  bytes: number;
  lines?: number;
}): OutputTail {
  let chunks: Buffer[] = [];
  let size = 0;
  return {
    write(chunk) {
      chunks.push(chunk);
      size += chunk.length;
      if (size < 4 * most) return;
      const kept = Buffer.from(Buffer.concat(chunks).subarray(-most));
      chunks = [kept];
      size = kept.length;
    },
    text() {
      const bytes = Buffer.concat(chunks).subarray(-most);
      // A character that was cut in two at the front is dropped, not shown as damage.
      let start = 0;
      while (start < 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
      const text = stripVTControlCharacters(bytes.subarray(start).toString());
      const lines = text.replaceAll("\r\n", "\n").split("\n");
      const blank = lines.at(-1) === "" ? 1 : 0;
      return lines.slice(-mostLines - blank).join("\n");
    },
  };
}
