/** What a piece of text means; how it looks is decided here alone. */
export type Tone = "plain" | "strong" | "quiet" | "good" | "bad" | "warning" | "name";

export interface TonedLine {
  tone: Tone;
  text: string;
}

/** The codes that begin a look on a terminal and end it. */
const STYLES = {
  strong: [1, 22],
  quiet: [2, 22],
  good: [32, 39],
  bad: [31, 39],
  warning: [33, 39],
  name: [36, 39],
} as const satisfies Record<Exclude<Tone, "plain">, readonly [begin: number, end: number]>;

export type Paint = (tone: Tone, text: string) => string;

export function painter(enabled: boolean): Paint {
  return (tone, text) => {
    if (!enabled || tone === "plain" || text === "") return text;
    const [begin, end] = STYLES[tone];
    return `\u001B[${begin}m${text}\u001B[${end}m`;
  };
}
