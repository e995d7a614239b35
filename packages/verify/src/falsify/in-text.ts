/** Languages whose expected values are made wrong in the text itself: nothing is put into their tests. */

import { argumentsOf, type Code, type Edit, type Mover, type Range, textIn } from "./code.ts";

const ASSERT = /\bassert_eq!\(/g;
const CALL = /\b[a-z_]\w*!?\s*[([]/g;
const STRING = /"[^"]*"/g;
const NUMBER = /(?<![\w.])\d[\d_]*(?:\.\d+)?/g;

/** Expected values in Rust: the literals of the operand that calls less. */
export const rustMover: Mover = {
  handles: /\.rs$/,
  ends: "bracket",
  quoted:
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|b?r(#*)"[\s\S]*?"\1|b?"(?:\\[\s\S]|[^"\\])*"|'(?:\\.|[^'\\\n])'/g,

  edits: (code) =>
    [...code.bare.matchAll(ASSERT)].flatMap(({ 0: { length }, index }): Edit[] => {
      const [one, two] = argumentsOf(code, index + length - 1);
      if (!one || !two) return [];
      return literalsIn(code, callsIn(code, one) < callsIn(code, two) ? one : two);
    }),
};

const callsIn = ({ bare }: Code, { from, to }: Range): number =>
  bare.slice(from, to).match(CALL)?.length ?? 0;

function literalsIn(code: Code, range: Range): Edit[] {
  const bare = code.bare.slice(range.from, range.to);
  const found = (pattern: RegExp) =>
    [...bare.matchAll(pattern)].map(({ 0: { length }, index }) => ({
      from: range.from + index,
      to: range.from + index + length,
    }));
  const texts = found(STRING).flatMap((place): Edit[] => {
    const closing = /["][#]*$/.exec(textIn(code, place));
    const at = closing === null ? -1 : place.to - closing[0].length;
    // What stands for a character in quotes of its own is no text.
    return at <= place.from || code.text[place.from] === "'"
      ? []
      : [{ from: at, to: at, text: "k" }];
  });
  // Downwards, for a type may end here.
  const numbers = found(NUMBER).map((place): Edit => {
    const digits = textIn(code, place).replaceAll("_", "");
    const [whole = "", places] = digits.split(".");
    const moved = /^0*$/.test(whole) ? "1" : String(BigInt(whole) - 1n);
    return { ...place, text: places === undefined ? moved : `${moved}.${places}` };
  });
  return [...texts, ...numbers];
}

const ERRORS = /\berrors\.(Is|As)\(/g;

/** Expected errors in Go, whose own methods say what they are; no other comparison asks its operands. */
export const goMover: Mover = {
  handles: /_test\.go$/,
  ends: "bracket",
  quoted: /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|`[^`]*`|'(?:\\.|[^'\\\n])+'/g,

  edits: (code) =>
    [...code.bare.matchAll(ERRORS)].flatMap(({ 0: { length }, 1: word, index }): Edit[] => {
      const isNegated = code.bare[index - 1] === "!";
      const [, two] = argumentsOf(code, index + length - 1);
      if (!two || !isNegated) return [];
      const expected = textIn(code, two);
      const text =
        word === "Is"
          ? `func(error) error { return errors.New("k") }(${expected})`
          : `func(any) any { return new(interface { error; Kept() }) }(${expected})`;
      return [{ ...two, text }];
    }),
};

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
