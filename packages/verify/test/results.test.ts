import { expect, test } from "vitest";
import { addLines, ENDED, emptyOutcome } from "../src/replay/results.ts";

const MODULES = ["a.js", "a.js", "b.js"];
const lines = (...all: unknown[]) => all.map((one) => JSON.stringify(one)).join("\n");
const LOADED = [
  ["load", "a.js"],
  ["loaded", "a.js"],
  ["load", "b.js"],
  ["loaded", "b.js"],
];

test.each([
  {
    name: "every call came to its end",
    text: lines(
      ...LOADED,
      ["call", 0],
      ["gave", 0, "1", "[1]"],
      ["call", 1],
      ["gave", 1, null, null],
      ["call", 2],
      ["gave", 2, "3", "[3]"],
      ["end"],
    ),
    results: ["1", null, "3"],
    values: ["[1]", null, "[3]"],
    whole: true,
  },
  {
    name: "a call ended the program",
    text: lines(...LOADED, ["call", 0], ["gave", 0, "1"], ["call", 1]),
    results: ["1", ENDED, null],
    ended: { calls: [1], modules: [] },
  },
  {
    name: "a module cannot be loaded",
    text: lines(
      ["load", "a.js"],
      ["failed", "a.js", "no"],
      ["load", "b.js"],
      ["loaded", "b.js"],
      ["call", 2],
      ["gave", 2, "3"],
      ["end"],
    ),
    results: ["could not be loaded: no", "could not be loaded: no", "3"],
    unloadable: ["a.js"],
    whole: true,
  },
  {
    name: "a module ended the program",
    text: lines(["load", "a.js"], ["loaded", "a.js"], ["load", "b.js"]),
    results: [null, null, `could not be loaded: ${ENDED}`],
    unloadable: ["b.js"],
    ended: { calls: [], modules: ["b.js"] },
  },
  {
    name: "the last line was cut",
    text: `${lines(...LOADED, ["call", 0])}\n["gave", 0, "1`,
    results: [ENDED, null, null],
    ended: { calls: [0], modules: [] },
  },
])("what a program wrote: $name", ({ text, results, whole = false, ...rest }) => {
  const repeated = emptyOutcome(MODULES.length);
  expect(addLines(repeated, text, MODULES)).toEqual({ whole });
  expect(repeated).toEqual({
    results,
    values: rest.values ?? [null, null, null],
    unloadable: new Set(rest.unloadable ?? []),
    ended: rest.ended ?? { calls: [], modules: [] },
  });
});
