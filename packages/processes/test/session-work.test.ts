import { expect, test } from "vitest";
import { checkInterval } from "../src/index.ts";

test.each([
  [[60_000, 120_000], 1000],
  [[60_000, 500], 100],
  [[1], 10],
])("limits of %j ms are looked at every %i ms", (limits, interval) => {
  expect(checkInterval(...limits)).toBe(interval);
});
