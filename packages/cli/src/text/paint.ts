import { styleText } from "node:util";
import type { Io, Output } from "../io.ts";

/** What a piece of text means; how it looks is decided here alone. */
export type Tone = "plain" | "strong" | "quiet" | "good" | "bad" | "care" | "name";

const STYLES = {
  strong: "bold",
  quiet: "dim",
  good: "green",
  bad: "red",
  care: "yellow",
  name: "cyan",
} as const satisfies Record<Exclude<Tone, "plain">, Parameters<typeof styleText>[0]>;

export type Paint = (tone: Tone, text: string) => string;

/** Colors for one stream, or none. */
export function painter(enabled: boolean): Paint {
  return (tone, text) =>
    !enabled || tone === "plain" || text === ""
      ? text
      : styleText(STYLES[tone], text, { validateStream: false });
}

/**
 * Whether a stream gets colors. First answer that there is: `--no-color`, NO_COLOR, FORCE_COLOR, TERM=dumb,
 * and then whether it is a terminal.
 */
export function wantsColor(io: Io, stream: Output, flag: boolean): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = io.env;
  if (!flag || (NO_COLOR ?? "") !== "") return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return TERM !== "dumb" && stream.isTTY === true;
}
