import { describe, expect, test } from "vitest";
import { parseRange } from "../src/commands/checkpoints.ts";
import { wantsColor } from "../src/runtime/io.ts";
import { fakeIo } from "./support/fake-io.ts";

test.each([
  ["2..5", { from: 2, to: 5 }],
  ["5..2", { from: 5, to: 2 }],
  ["0..0", { from: 0, to: 0 }],
  ["3", { from: 3 }],
  ["3..", { from: 3 }],
  ["..4", { to: 4 }],
  ["..", {}],
  ["", undefined],
  ["a..b", undefined],
  ["1...3", undefined],
  ["-1", undefined],
  ["1.5..2", undefined],
  [" 1", undefined],
  ["1234567890", undefined],
])("the range %j is %o", (text, range) => {
  expect(parseRange(text)).toEqual(range);
});

describe("colors", () => {
  const terminal = fakeIo({ tty: true }).stderr;
  const pipe = fakeIo().stderr;
  test.each([
    ["a terminal", {}, terminal, true, true],
    ["a pipe", {}, pipe, true, false],
    ["--no-color", {}, terminal, false, false],
    ["--no-color over FORCE_COLOR", { FORCE_COLOR: "1" }, terminal, false, false],
    ["NO_COLOR", { NO_COLOR: "1" }, terminal, true, false],
    ["an empty NO_COLOR", { NO_COLOR: "" }, terminal, true, true],
    ["NO_COLOR over FORCE_COLOR", { NO_COLOR: "1", FORCE_COLOR: "1" }, terminal, true, false],
    ["FORCE_COLOR on a pipe", { FORCE_COLOR: "1" }, pipe, true, true],
    ["FORCE_COLOR=0", { FORCE_COLOR: "0" }, terminal, true, false],
    ["a dumb terminal", { TERM: "dumb" }, terminal, true, false],
  ])("%s", (_, env, stream, flag, expected) => {
    expect(wantsColor(fakeIo({ env }), stream, flag)).toBe(expected);
  });
});
