import { type Activity, LoopState, type Selection } from "@ccw-loop/core";
import { expect, test } from "vitest";
import { agentLine } from "../src/loop/activity.ts";
import { whyRows } from "../src/loop/why.ts";

const progress = (more: object) =>
  agentLine({
    ...{ type: "verify.progress", command: "npm test", done: 0, failed: 0, running: [] },
    elapsed_ms: 31_000,
    ...more,
  } as Activity["event"])?.text;

test.each<[object, string]>([
  [{}, "npm test: running, 31s"],
  [{ done: 12, total: 40 }, "npm test: 12 of 40 tests done, 31s"],
  // There are more than before.
  [{ done: 41, total: 40 }, "npm test: 41 tests done, 31s"],
  [
    { done: 12, failed: 1, running: ["cart > half"] },
    "npm test: 12 tests done, 1 failed, 31s; running: cart > half",
  ],
])("a run of the tests says how far it is: %o", (more, text) => {
  expect(progress(more)).toBe(text);
});

test("why says what is being done, and since when", () => {
  const at = "2026-01-01T10:00:00.000Z";
  const state = (action: object) =>
    LoopState.parse({
      ...{ loop_id: "a", title: "a", status: "running", created_at: at, updated_at: at },
      action: { attempt: 1, started_at: at, ...action },
    });
  const selection = { action: "VALIDATE", rule: 1, reason: "", guards: [] } as unknown as Selection;
  const rows = (of: LoopState) =>
    whyRows({ ...selection, undriven_since: null } as never, of, new Date("2026-01-01T10:00:31Z"));
  const now = (of: LoopState) => rows(of).find(([name]) => name === "Now")?.[1];
  expect(now(state({ name: "VALIDATE" }))).toEqual([
    "VALIDATE: the tests are run, since 2026-01-01T10:00:00.000Z (31s)",
  ]);
  expect(now(state({ name: "DEVELOP" }))).toEqual([
    "DEVELOP, since 2026-01-01T10:00:00.000Z (31s)",
  ]);
  expect(now(state({ name: "VALIDATE", interrupted: "cut off" }))).toEqual([]);
});
