import { argumentsOf, type Edit, textIn } from "./code.ts";
import type { Mover } from "./mover.ts";

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
