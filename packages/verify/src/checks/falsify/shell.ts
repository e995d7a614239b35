import type { Edit } from "./code.ts";
import type { Mover } from "./mover.ts";

const COMPARED =
  /^[ \t]*(?:\[\[?[ \t].*[ \t](?:==?|-eq)[ \t]+(\S.*?)(?=[ \t]+\]\]?[ \t]*$)|assert_(?:equal|output)[ \t].*\S(?=[ \t]*$))/gm;

/** Expected words in tests for bats: each gets one more sign, that a number may have. */
export const shellMover: Mover = {
  handles: /\.(bats|bash|sh)$/,
  ends: "bracket",
  quoted: /(?<=^|\s)#[^\n]*/g,

  edits: ({ bare }) =>
    [...bare.matchAll(COMPARED)].map(({ 0: { length }, index }): Edit => {
      const at = index + length;
      return { from: at, to: at, text: "1" };
    }),
};
