/** The end of an endless text. */
export interface Tail {
  add(chunk: Buffer): void;
  text(): string;
}

/** Keeps the last `maxBytes`, without terminal colours. */
export function tail(maxBytes: number): Tail {
  let kept = Buffer.alloc(0);
  return {
    add(chunk) {
      kept = Buffer.concat([kept, chunk]).subarray(-maxBytes);
    },
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
    text: () => kept.toString("utf8").replaceAll(/\u001b\[[\d;]*m/g, ""),
  };
}
