import type { RecordedEvent } from "@ccw-loop/core";
import { expect, test } from "vitest";
import { testGrid } from "../src/index.ts";

const AT = "2026-01-01T00:00:00Z";
const counts = { total: 2, passed: 1, failed: 1, skipped: 0 };

function recorded(event: object, revision: number): RecordedEvent {
  return { revision, actor: "t", event: { at: AT, ...event } } as unknown as RecordedEvent;
}

function validated(iteration: number, tests: object, waived?: string): object {
  const passed = !Object.values(tests).includes("failed");
  const receipt = { iteration, passed, counts, tests, ...(waived === undefined ? {} : { waived }) };
  const output = { action: "VALIDATE", receipt, test_results: [], coverage: 80 };
  return { type: "action.completed", action: "VALIDATE", message: "", output };
}

test("the grid has every run from the start on, and every test with how it ended in each", () => {
  const baseline = { at: AT, counts, coverage: null, tests: { old: "passed", owed: "failed" } };
  const { runs, rows } = testGrid([
    recorded({ type: "baseline.measured", baseline }, 1),
    recorded(validated(2, { old: "passed", owed: "failed", added: "passed" }), 2),
    recorded(validated(3, {}, "none are here"), 3),
    recorded(validated(4, { old: "passed", owed: "passed", broken: "failed" }), 4),
  ]);
  expect(runs.map(({ iteration, rate, coverage }) => [iteration, rate, coverage])).toEqual([
    [0, 0.5, null],
    [2, 0.5, 80],
    [4, 0.5, 80],
  ]);
  expect(runs.map(({ passed }) => passed)).toEqual([false, false, false]);
  expect(rows).toEqual([
    { test: "broken", states: [undefined, undefined, "failed"] },
    { test: "owed", states: ["failed", "failed", "passed"] },
    { test: "added", states: [undefined, "passed", undefined] },
    { test: "old", states: ["passed", "passed", "passed"] },
  ]);
});

test("a loop whose tests were never run has an empty grid", () => {
  expect(testGrid([])).toEqual({ runs: [], rows: [] });
});
