import { JSONParser } from "@streamparser/json";

/** The parts of a document that hold one test each lie this deep at most; only they are built in memory. */
const SHALLOW = 4;
/** Bytes of a string, and of what stands together below `SHALLOW`. */
const HELD = 16 * 1024 * 1024;
const MAX_JSON_DEPTH = 1000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [OPEN_BRACE, OPEN_BRACKET] = [0x7b, 0x5b];
const [CLOSE_BRACE, CLOSE_BRACKET] = [0x7d, 0x5d];

/** A value at one of the paths, with its key in its parent. */
export interface JsonValue {
  value: unknown;
  key: string | number | undefined;
  /** How many parents it has. */
  depth: number;
  /** Which element of the list in the root it is part of; NaN outside of lists. */
  index: number;
}

export interface JsonReader {
  write(chunk: Buffer): void;
  /** Null when it was one whole document, else what is wrong with it. */
  end(): string | null;
  /** Says that something in it is wrong; the first word stands. */
  refuse(words: string): void;
}

/** Hands out the values at some paths while a document streams by, in bounded memory. */
export function jsonReader(paths: string[], onValue: (value: JsonValue) => void): JsonReader {
  const parser = new JSONParser({ paths, keepStack: false });
  const isBounded = bounds();
  let problem: string | null = null;
  const refuse = (words: string) => {
    problem ??= words;
  };
  parser.onError = (error) =>
    refuse(`it is not valid JSON (${error.message.split("\n", 1)[0]?.slice(0, 200)})`);
  parser.onValue = ({ value, key, stack }) =>
    onValue({ value, key, depth: stack.length, index: Number(stack[2]?.key) });

  return {
    refuse,
    write(chunk) {
      if (problem !== null) return;
      if (!isBounded(chunk)) refuse("it is nested too deeply, or has too long a text");
      else if (!parser.isEnded) parser.write(chunk);
      else if (chunk.toString().trim() !== "") refuse("something follows its end");
    },
    end() {
      if (problem === null && !parser.isEnded) refuse("it is cut off");
      return problem;
    },
  };
}

/** Looks at the bytes before the parser does, which would hold any depth and any length. */
function bounds(): (chunk: Buffer) => boolean {
  let depth = 0;
  let held = 0;
  let inText = false;
  let escaped = false;
  return (chunk) => {
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      held += 1;
      if (inText) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inText = false;
      } else {
        if (byte === QUOTE) inText = true;
        else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
        else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1;
        if (depth <= SHALLOW && !inText) held = 0;
      }
      if (depth > MAX_JSON_DEPTH || held > HELD) return false;
    }
    return true;
  };
}
