import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { linearize, type Model, type Operation } from "../../soak/src/linearizable/linearize.ts";

type Input = { write: number } | "read";
type Call = Operation<Input, number | "done">;

/** A register that holds one number. */
const register: Model<number, Input, number | "done"> = {
  initial: 0,
  next: (state, input, answer) => {
    if (input !== "read") return input.write;
    return answer === undefined || answer === state ? state : undefined;
  },
  key: String,
};

const write = (process: string, value: number, called: number, returned: number | null): Call =>
  returned === null
    ? { process, called, returned, input: { write: value } }
    : { process, called, returned, input: { write: value }, answer: "done" };
const read = (process: string, answer: number, called: number, returned: number): Call => ({
  process,
  called,
  returned,
  input: "read",
  answer,
});

describe("histories of a register", () => {
  test.each<[string, boolean, Call[]]>([
    ["nothing", true, []],
    ["one after the other", true, [write("a", 1, 1, 2), read("b", 1, 3, 4)]],
    ["a read of what was there before", false, [write("a", 1, 1, 2), read("b", 0, 3, 4)]],
    ["a read during a write sees the old", true, [write("a", 1, 1, 4), read("b", 0, 2, 3)]],
    ["a read during a write sees the new", true, [write("a", 1, 1, 4), read("b", 1, 2, 3)]],
    [
      "new, then old again during one write",
      false,
      [write("a", 1, 1, 9), read("b", 1, 2, 3), read("c", 0, 4, 5)],
    ],
    [
      "two readers disagree about the order of two writes",
      false,
      [
        write("a", 1, 1, 2),
        write("b", 2, 1, 2),
        read("c", 1, 3, 4),
        read("d", 2, 5, 6),
        read("e", 1, 7, 8),
      ],
    ],
    ["a value that nobody wrote", false, [write("a", 1, 1, 2), read("b", 7, 1, 2)]],
    [
      "a write of a killed process that happened late",
      true,
      [write("a", 1, 1, null), read("b", 0, 2, 3), read("b", 1, 4, 5)],
    ],
    [
      "a write of a killed process that never happened",
      true,
      [write("a", 1, 1, null), read("b", 0, 2, 3), read("b", 0, 4, 5)],
    ],
    [
      "a write of a killed process that happened and did not",
      false,
      [write("a", 1, 1, null), read("b", 1, 2, 3), read("b", 0, 4, 5)],
    ],
    ["a read before the write was called", false, [read("b", 1, 1, 2), write("a", 1, 3, 4)]],
  ])("%s: %s", (_name, linearizable, history) => {
    expect(linearize(history, register).linearizable).toBe(linearizable);
    expect(linearize(history.toReversed(), register).linearizable).toBe(linearizable);
  });
});

test("a bad history names where no call fits any more", () => {
  const verdict = linearize([write("a", 1, 1, 2), read("b", 0, 3, 4)], register);
  expect(verdict).toMatchObject({
    linearizable: false,
    longest: [{ process: "a" }],
    stuck: [{ process: "b" }],
  });
});

/** Calls that did happen one after the other, stretched around the moment they happened at. */
const truthful = fc
  .array(
    fc.record({
      write: fc.option(fc.integer({ min: 1, max: 3 })),
      before: fc.integer({ min: 0, max: 25 }),
      behind: fc.integer({ min: 0, max: 25 }),
      killed: fc.boolean(),
    }),
    { maxLength: 40 },
  )
  .map((steps) => {
    let value = 0;
    return steps.map(({ write: written, before, behind, killed }, n): Call => {
      const [called, returned] = [n * 10 - before, n * 10 + behind];
      if (written === null) return read(`p${n}`, value, called, returned);
      value = written;
      return write(`p${n}`, written, called, killed ? null : returned);
    });
  });

test("whatever happened one after the other is found to be linearizable", () => {
  fc.assert(
    fc.property(truthful, (history) => {
      const verdict = linearize(history, register);
      expect(verdict.linearizable).toBe(true);
      expect(verdict.linearizable && verdict.order).toHaveLength(history.length);
    }),
  );
});

test("a value that was never there is found among them", () => {
  fc.assert(
    fc.property(truthful, fc.integer({ min: 0, max: 400 }), (history, at) => {
      const lie = read("liar", 99, at, at + 30);
      expect(linearize([...history, lie], register).linearizable).toBe(false);
    }),
  );
});
