import { describe, expect, test } from "vitest";
import {
  controlSignal,
  debugCompleted,
  developProgress,
  hasPendingDevelop,
  type LoopState,
  overallProgress,
  readLoopState,
  statusText,
  statusWord,
  validateState,
  validationPassed,
} from "../src/index.ts";

const AT = "2026-01-22T10:00:00.000Z";
const task = (id: string, status: string) => ({ id, description: id, status });
const TEST = { test_name: "t", status: "passed" };

function state(more: Record<string, unknown>): LoopState {
  const raw = { loop_id: "a", title: "t", status: "running", created_at: AT, updated_at: AT };
  return readLoopState({ ...raw, ...more });
}

const develop = (completed: number, total: number) => ({
  skill_state: { develop: { completed, total } },
});

test.each<[string, Record<string, unknown>, number, boolean, boolean, boolean, number]>([
  ["not initialized", {}, 0, false, false, false, 0],
  ["given tasks before INIT", { tasks: [task("a", "pending")] }, 0, true, false, false, 0],
  ["no tasks", develop(0, 0), 0, false, false, false, 0],
  ["one of two tasks", develop(1, 2), 50, false, false, false, 25],
  ["one of three tasks", develop(1, 3), 100 / 3, false, false, false, 50 / 3],
  ["more completed than there are", develop(3, 2), 100, false, false, false, 50],
  [
    "a pending task",
    { skill_state: { develop: { total: 1, tasks: [task("a", "pending")] } } },
    0,
    true,
    false,
    false,
    0,
  ],
  [
    "a failed task is not pending",
    { skill_state: { develop: { total: 1, tasks: [task("a", "failed")] } } },
    0,
    false,
    false,
    false,
    0,
  ],
  [
    "a confirmed cause",
    { skill_state: { debug: { confirmed_hypothesis: "H1" } } },
    0,
    false,
    true,
    false,
    25,
  ],
  [
    "passed without any result",
    { skill_state: { validate: { passed: true } } },
    0,
    false,
    false,
    false,
    0,
  ],
  [
    "passed with results",
    { skill_state: { validate: { passed: true, test_results: [TEST] } } },
    0,
    false,
    false,
    true,
    25,
  ],
  [
    "passed, but something changed since",
    { skill_state: { validate: { passed: true, stale: true, test_results: [TEST] } } },
    0,
    false,
    false,
    false,
    0,
  ],
  [
    "everything",
    {
      skill_state: {
        develop: { completed: 2, total: 2 },
        debug: { confirmed_hypothesis: "H1" },
        validate: { passed: true, test_results: [TEST] },
      },
    },
    100,
    false,
    true,
    true,
    100,
  ],
  [
    "completed without debugging",
    {
      status: "completed",
      skill_state: {
        develop: { completed: 1, total: 1 },
        validate: { passed: true, test_results: [TEST] },
      },
    },
    100,
    false,
    false,
    true,
    100,
  ],
])("derived values: %s", (_, more, percent, pending, debugged, validated, overall) => {
  const loop = state(more);
  expect(developProgress(loop)).toBeCloseTo(percent);
  expect(hasPendingDevelop(loop)).toBe(pending);
  expect(debugCompleted(loop)).toBe(debugged);
  expect(validationPassed(loop)).toBe(validated);
  expect(overallProgress(loop)).toBeCloseTo(overall);
});

test("a run judged by its exit code alone counts by its receipt", () => {
  const receipt = {
    id: "r",
    iteration: 1,
    command: "make test",
    cwd: "/",
    started_at: AT,
    duration_ms: 1,
    exit_code: 0,
    report: null,
    counts: { total: 0, passed: 0, failed: 0, skipped: 0 },
    passed: true,
    reason: "",
    tree_before: null,
    tree_after: null,
  };
  const skill_state = { validate: { passed: true } };
  expect(validationPassed(state({ skill_state, receipts: [receipt] }))).toBe(true);
  expect(validationPassed(state({ skill_state, receipts: [{ ...receipt, passed: false }] }))).toBe(
    false,
  );
});

describe("validateState", () => {
  test.each<[string, Record<string, unknown>, RegExp[]]>([
    ["a sound state", develop(0, 1), []],
    ["a created one", { status: "created" }, []],
    ["no id", { loop_id: " " }, [/loop_id/]],
    ["no task", { title: " ", description: "" }, [/title and description/]],
    ["initialized but created", { status: "created", skill_state: {} }, [/status is created/]],
    ["completed unproven", { status: "completed", skill_state: {} }, [/validation not passed/]],
    ["completed without a plan", { status: "completed" }, [/validation not passed/]],
    [
      "completed and validated",
      { status: "completed", skill_state: { validate: { passed: true } } },
      [],
    ],
    [
      "a count that does not fit",
      { skill_state: { develop: { completed: 2, tasks: [task("a", "completed")] } } },
      [/develop.completed is 2 but 1/],
    ],
    [
      "two faults at once",
      { status: "completed", skill_state: { develop: { completed: 1 } } },
      [/validation not passed/, /develop.completed/],
    ],
  ])("%s", (_, more, wrong) => {
    const { valid, errors } = validateState(state(more));
    expect(valid).toBe(wrong.length === 0);
    expect(errors).toHaveLength(wrong.length);
    wrong.forEach((pattern, i) => {
      expect(errors[i]).toMatch(pattern);
    });
  });
});

test.each([
  ["running", true, "continue", "running"],
  ["paused", false, "pause_exit", "paused"],
  ["failed", false, "stop_exit", "stopped"],
  ["completed", false, "stop_exit", "completed"],
  ["created", false, "stop_exit", "not_started"],
  ["user_exit", false, "stop_exit", "user_exit"],
  ["pending", false, "stop_exit", "unknown_status"],
  ["toString", false, "stop_exit", "unknown_status"],
])("control signal of %s", (status, goesOn, action, reason) => {
  expect(controlSignal({ status })).toEqual({ continue: goesOn, action, reason });
});

test("the control signal of no loop", () => {
  const gone = { continue: false, action: "stop_exit", reason: "state_not_found" };
  expect(controlSignal(undefined)).toEqual(gone);
  expect(controlSignal(null)).toEqual(gone);
});

test.each<[Partial<LoopState>, string, string]>([
  [{ status: "running" }, "running", "running"],
  [
    { status: "completed", outcome: { code: "proven", message: "" } },
    "completed",
    "completed (proven)",
  ],
  [
    { status: "failed", outcome: { code: "max_turns", message: "" } },
    "failed",
    "failed (max_turns)",
  ],
  [{ status: "failed", outcome: { code: "stopped_by_user", message: "" } }, "stopped", "stopped"],
  // A file of upstream: stopped there as well, but it does not tell.
  [{ status: "failed" }, "failed", "failed"],
  [{ status: "user_exit" }, "exited", "exited"],
])("%j is called %s, with its reason %s", (more, word, text) => {
  expect([statusWord(state(more)), statusText(state(more))]).toEqual([word, text]);
});
