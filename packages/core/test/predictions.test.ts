import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Condition,
  comparePredictions,
  type FindPattern,
  type Prediction,
  type ProbeOutcome,
  probeProblem,
  Relation,
} from "../src/index.ts";

const find: FindPattern = (pattern, text) => {
  const match = new RegExp(pattern, "mu").exec(text);
  return match ? (match[1] ?? match[0]) : null;
};
const exit = (compare: Relation, value: number): Condition => ({
  kind: "exit_code",
  compare,
  value,
});
const text = (how: "is" | "contains" | "lacks", said: string): Condition => ({
  kind: "text",
  how,
  text: said,
});
const pattern = (said: string, found = true): Condition => ({
  kind: "pattern",
  pattern: said,
  found,
});
const number = (said: string, compare: Relation, value: number): Condition => ({
  kind: "number",
  pattern: said,
  compare,
  value,
});
const probe = (if_holds: Prediction, if_not: Prediction) => ({ command: "x", if_holds, if_not });

describe("what a probe shows", () => {
  const sum = "total=(\\S+)";
  test.each<[string, Condition[], Condition[], Partial<ProbeOutcome>, string]>([
    ["an exit code", [exit("=", 1)], [exit("=", 0)], { exit_code: 1 }, "holds"],
    ["the other exit code", [exit("=", 1)], [exit("=", 0)], { exit_code: 0 }, "does_not_hold"],
    ["a third exit code", [exit("=", 1)], [exit("=", 0)], { exit_code: 2 }, "neither"],
    ["no exit code", [exit("!=", 1)], [exit("=", 1)], { exit_code: null }, "neither"],
    [
      "text with space around it",
      [text("is", "2")],
      [text("is", "1")],
      { output: " 2\n" },
      "holds",
    ],
    ["a part", [text("contains", "9")], [text("lacks", "9")], { output: "849" }, "holds"],
    ["not the part", [text("contains", "9")], [text("lacks", "9")], {}, "does_not_hold"],
    ["both", [text("contains", "8")], [text("contains", "9")], { output: "89" }, "both"],
    ["a pattern", [pattern("^b$")], [pattern("^b$", false)], { output: "a\nb" }, "holds"],
    ["a number", [number(sum, ">", 8)], [number(sum, "<=", 8)], { output: "total=8.5" }, "holds"],
    [
      "no number",
      [number(sum, "!=", 8)],
      [number(sum, "=", 8)],
      { output: "total=NaN" },
      "neither",
    ],
    ["one of two conditions", [exit("=", 0), text("is", "2")], [exit("=", 1)], {}, "neither"],
    ["nothing predicted", [], [], { exit_code: 0 }, "neither"],
    [
      "a time limit",
      [text("contains", "a")],
      [text("lacks", "a")],
      { output: "a", timed_out: true },
      "neither",
    ],
  ])("%s", (_, holds, not, outcome, shows) => {
    const ended = { exit_code: 0, output: "", ...outcome };
    expect(comparePredictions(probe(holds, not), ended, find)).toBe(shows);
  });
});

describe("predictions", () => {
  test.each<[string, Condition[], Condition[]]>([
    ["exit codes", [exit("=", 1)], [exit("=", 0)]],
    ["ranges of exit codes without a whole number between", [exit(">", 0)], [exit("<", 1)]],
    ["two outputs", [text("is", "849.15")], [text("is", "849")]],
    ["a part or not", [text("contains", "849.15")], [text("lacks", "849")]],
    ["an output without the part", [text("is", "849")], [text("contains", ".15")]],
    ["a pattern or not", [pattern("a+")], [pattern("a+", false)]],
    ["a number or no such pattern", [number("a", "=", 1)], [pattern("a", false)]],
    ["numbers of one pattern", [number("a", ">=", 10)], [number("a", "<", 10)]],
    ["an output whose number is another", [text("is", "n=3")], [number("n=(.)", "=", 4)]],
    ["one condition of several", [exit("=", 0), text("is", "1")], [exit("=", 0), text("is", "2")]],
  ])("of %s can be told apart", (_, holds, not) => {
    expect(probeProblem(probe(holds, not), find)).toBeNull();
    expect(probeProblem(probe(not, holds), find)).toBeNull();
  });

  const apart = /cannot be told apart/;
  test.each<[string, Condition[], Condition[], RegExp]>([
    ["that are equal", [exit("=", 0)], [exit("=", 0)], apart],
    ["that overlap", [exit("!=", 0)], [exit(">", 1)], apart],
    ["of two parts", [text("contains", "849.15")], [text("contains", "7")], apart],
    ["of different kinds", [exit("=", 1)], [text("contains", "ok")], apart],
    ["of numbers that both can be", [number("a", "<", 1e300)], [number("a", "!=", 1e300)], apart],
    ["of numbers of two patterns", [number("a", "<", 1)], [number("b", ">", 1)], apart],
    ["one of which is missing", [exit("=", 0)], [], /needs a prediction for both/],
    [
      "that contradict themselves",
      [exit("=", 0), exit("=", 1)],
      [exit("=", 2)],
      /contradicts itself/,
    ],
    ["with a pattern that is none", [pattern("(")], [exit("=", 2)], /pattern .* cannot be used/],
  ])("%s are sent back", (_, holds, not, problem) => {
    expect(probeProblem(probe(holds, not), find)).toMatch(problem);
  });

  const words = fc.constantFrom("", "a", "ab", "n=1", "n=2", "n=1 a", "n=-3.5");
  const condition: fc.Arbitrary<Condition> = fc.oneof(
    fc
      .tuple(fc.constantFrom(...Relation.options), fc.integer({ min: -2, max: 3 }))
      .map(([compare, value]) => exit(compare, value)),
    fc
      .tuple(fc.constantFrom("is" as const, "contains" as const, "lacks" as const), words)
      .map(([how, said]) => text(how, said)),
    fc
      .tuple(fc.constantFrom("a", "n=", "b$"), fc.boolean())
      .map(([said, found]) => pattern(said, found)),
    fc
      .tuple(
        fc.constantFrom("n=(\\S+)", "\\d"),
        fc.constantFrom(...Relation.options),
        fc.double({ min: -4, max: 4, noNaN: true }),
      )
      .map(([said, compare, value]) => number(said, compare, value)),
  );
  const prediction = fc.array(condition, { minLength: 1, maxLength: 3 });

  test("that are accepted are never both met, whatever comes", () => {
    let accepted = 0;
    fc.assert(
      fc.property(
        prediction,
        prediction,
        fc.array(
          fc.tuple(
            fc.integer({ min: -3, max: 4 }),
            fc.array(words).map((w) => w.join("")),
          ),
          {
            minLength: 20,
          },
        ),
        (holds, not, outcomes) => {
          if (probeProblem(probe(holds, not), find) !== null) return;
          accepted += 1;
          for (const [exit_code, output] of outcomes) {
            expect(comparePredictions(probe(holds, not), { exit_code, output }, find)).not.toBe(
              "both",
            );
          }
        },
      ),
      { numRuns: 2000 },
    );
    expect(accepted).toBeGreaterThan(100);
  });
});
