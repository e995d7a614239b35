import { describe, expect, test } from "vitest";
import { isLoopError, LoopError, toLoopError } from "../src/index.ts";

/** As another copy of this package makes it. */
function foreign(more: object = {}): Error {
  const error = new Error("The quota is used up.");
  return Object.assign(error, { name: "LoopError", code: "usage_limit", details: {}, ...more });
}

test("an error of another copy of this package is one", () => {
  const error = foreign({ details: { resets_at: "2030-01-01T00:00:00Z" } });
  expect(error instanceof LoopError).toBe(true);
  expect(isLoopError(error, "usage_limit")).toBe(true);
  expect(isLoopError(error, "agent_died")).toBe(false);
  expect(toLoopError(error)).toBe(error);
});

describe("what only looks like one is a defect of ours", () => {
  test.each([
    ["another name", foreign({ name: "Error" })],
    ["a code that there is not", foreign({ code: "oops" })],
    ["a code of every object", foreign({ code: "toString" })],
    ["no details", foreign({ details: null })],
    ["no error", { name: "LoopError", code: "usage_limit", details: {}, message: "x" }],
  ])("%s", (_, thrown) => {
    expect(isLoopError(thrown)).toBe(false);
    expect(toLoopError(thrown).code).toBe("internal");
  });
});
