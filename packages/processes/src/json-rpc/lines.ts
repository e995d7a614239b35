const NEWLINE = 0x0a;
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/**
 * Cuts a stream of bytes into lines at `\n` alone (other line ends are legal inside JSON). Lines may be many
 * megabytes long; one above `maxBytes` is dropped and told to `onDropped`.
 */
export function lineReader(
  onLine: (line: string) => void,
  onDropped: (bytes: number) => void = () => undefined,
  maxBytes = MAX_LINE_BYTES,
): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let size = 0;

  const add = (part: Buffer) => {
    size += part.length;
    if (size <= maxBytes) parts.push(part);
    else parts = [];
  };
  const finish = () => {
    if (size > maxBytes) onDropped(size);
    else if (size > 0) onLine(Buffer.concat(parts).toString("utf8"));
    parts = [];
    size = 0;
  };

  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, end));
      finish();
      start = end + 1;
    }
    add(chunk.subarray(start));
  };
}
