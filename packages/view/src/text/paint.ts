import { styleText } from "node:util";

/** What a piece of text means; how it looks is decided here alone. */
export type Tone = "plain" | "strong" | "quiet" | "good" | "bad" | "warning" | "name";

/** One line in one look. */
export interface TonedLine {
  tone: Tone;
  text: string;
}

const STYLES = {
  strong: "bold",
  quiet: "dim",
  good: "green",
  bad: "red",
  warning: "yellow",
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
