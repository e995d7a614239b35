import { numberLike } from "../test-text.ts";
import type { Code, Edit } from "./code.ts";
import { type testsIn, titleAt } from "./scopes.ts";

/** Assertions of equality, and of no more or less, whose last argument is a number: that number is the expected value, or as good as one. */
const EXPECTED: readonly RegExp[] = [
  // assert.equal(x, 5)   expect(x).toBe(5)   assertEqual(x, 5)   assert_eq!(x, 5)
  /((?:(?<!(?:Or|Less|Greater|Almost)_?)[eE]qual|[eE]quals|eql|toBe|same|\bis|assert_eq!|EQ)\(.*?)(-?\d+(?:\.\d+)?)(\s*(?:,\s*(?:"[^"]*"|'[^']*'|`[^`]*`))?\s*\)+\s*[;,]?\s*)$/,
  // assert x == 5   if got != 5 {
  /((?:\bassert\b.*==|\bif\b.*!=)\s*)(-?\d+(?:\.\d+)?)(\s*(?:,\s*(?:"[^"]*"|'[^']*'))?\s*[:{]?\s*)$/,
];
/** A wrong value makes these pass. */
const NEGATED = /\.not\b|\bnot[A-Z_]|[nN]ot_?[eE]qual|doesNot|assert_ne!/;

/** An edit that makes one test fail. */
export interface FalsifyingEdit extends Edit {
  title: string;
}

/** Numbers at the end of assertions, in any language, moved by one. */
export function movedLiterals(code: Code, tests: ReturnType<typeof testsIn>): FalsifyingEdit[] {
  let begin = 0;
  return code.text.split("\n").flatMap((line) => {
    const from = begin;
    begin += line.length + 1;
    if (NEGATED.test(line)) return [];
    for (const pattern of EXPECTED) {
      const match = pattern.exec(line);
      if (!match) continue;
      const [, before = "", number = ""] = match;
      const at = from + match.index + before.length;
      const title = titleAt(tests, at);
      if (title === null) return [];
      return [
        { title, from: at, to: at + number.length, text: numberLike(number, Number(number) + 1) },
      ];
    }
    return [];
  });
}
