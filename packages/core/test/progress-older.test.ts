import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseProgress, renderProgress } from "../src/index.ts";
import { created, debugged, developed, initialized, started, state, validated } from "./given.ts";

const folder = new URL("./fixtures/older/", import.meta.url);
const all = Object.fromEntries(
  readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder), "utf8")]),
);

function only(...names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, all[name] ?? ""]));
}

describe("documents of older tools", () => {
  test("develop.md tells the tasks and what became of them", () => {
    const { skill_state, loop, notes } = parseProgress(only("develop.md"));
    expect(loop).toEqual({
      title: "Implement user authentication",
      description: "Implement user authentication",
      created_at: "2026-01-22T02:00:00.000Z",
    });
    expect(skill_state?.develop).toMatchObject({
      total: 3,
      completed: 2,
      last_progress_at: "2026-01-22T02:20:00.000Z",
      tasks: [
        {
          id: "task-001",
          description: "Create auth component",
          tool: "gemini",
          status: "completed",
          completed_at: "2026-01-22T02:10:00.000Z",
          summary: "Login form and session cookie.\nIt keeps the `next` parameter.",
          files_changed: ["src/auth.ts", "src/login form.tsx"],
        },
        { id: "task-002", description: "Add logout (with a button)", files_changed: [] },
        { id: "task-003", description: "Write the tests", status: "pending" },
      ],
    });
    expect(notes.join("\n")).toMatch(/mode.*unknown/);
    expect(notes.join("\n")).toMatch(/debug\.md is missing/);
  });

  test("changes.log completes what the timeline left out", () => {
    const { skill_state } = parseProgress(only("develop.md", "changes.log"));
    expect(skill_state?.develop.completed).toBe(3);
    expect(skill_state?.develop.tasks[2]).toMatchObject({
      id: "task-003",
      status: "completed",
      completed_at: "2026-01-22T02:25:00.000Z",
      files_changed: ["test/auth.test.ts"],
    });
  });

  test("debug.md tells the hypotheses with their verdicts", () => {
    const { skill_state, notes } = parseProgress(only("debug.md"));
    expect(skill_state?.debug).toMatchObject({
      active_bug: "The session ends at once",
      hypotheses_count: 2,
      confirmed_hypothesis: "H1",
      iteration: 2,
      last_analysis_at: "2026-01-22T02:40:00.000Z",
      hypotheses: [
        {
          id: "H1",
          description: "The expiry is in seconds",
          testable_condition: "exp is smaller than now",
          logging_point: "src/auth.ts:check:12",
          likelihood: 1,
          status: "confirmed",
          evidence: [{ hid: "H1", data: { exp: 1769049 } }],
          verdict_reason: "exp is in seconds, now in milliseconds",
        },
        { id: "H2", status: "rejected", evidence: { observed: "the cookie is there" } },
      ],
      notes: [
        { iteration: 1, text: expect.stringContaining("401 after login") },
        { iteration: 2, text: "The units differ." },
      ],
    });
    expect(notes.join("\n")).toMatch(/debug\.md was read by its headings/);
  });

  test("hypotheses.json knows more than the headings", () => {
    const { skill_state } = parseProgress(only("debug.md", "hypotheses.json"));
    expect(skill_state?.debug).toMatchObject({
      iteration: 4,
      hypotheses: [{ evidence_criteria: { confirm: "small exp" }, verdict_reason: "units" }],
    });
  });

  test("validate.md tells the last run, which has to be run again", () => {
    const { skill_state } = parseProgress(only("validate.md"));
    expect(skill_state?.validate).toEqual({
      pass_rate: 87.5,
      coverage: 81,
      passed: false,
      stale: true,
      failed_tests: ["logs out"],
      last_run_at: "2026-01-22T02:50:00.000Z",
      test_results: [
        {
          test_name: "logs out",
          suite: "auth",
          status: "failed",
          duration_ms: 0,
          error_message: "expected 200, got 401",
          stack_trace: null,
        },
      ],
    });
  });

  test("a report that says PASS is a claim, and stale", () => {
    const passed = (all["validate.md"] ?? "").replace("FAIL", "PASS");
    const { skill_state } = parseProgress({ "validate.md": passed });
    expect(skill_state?.validate).toMatchObject({ passed: true, stale: true });
  });

  test("test-results.json and coverage.json know more than the report", () => {
    const { skill_state } = parseProgress(all);
    expect(skill_state?.validate).toMatchObject({
      pass_rate: 50,
      coverage: 72.5,
      failed_tests: ["logs out"],
      last_run_at: "2026-01-22T03:00:00.000Z",
      test_results: [{ test_name: "logs in" }, { test_name: "logs out" }],
    });
  });
});

test("our own documents without their data parts still tell most of it", () => {
  const loop = state(
    created(),
    started,
    initialized("a", "b"),
    developed("a"),
    validated(false),
    debugged({
      hypotheses: [
        {
          id: "H1",
          description: "It rounds <twice>",
          testable_condition: "x | y",
          logging_point: "a.js:f:1",
          evidence_criteria: { confirm: "", reject: "" },
          likelihood: 1,
          status: "confirmed",
          evidence: { seen: true },
          verdict_reason: "seen",
        },
      ],
      confirmed_hypothesis: "H1",
    }),
  );
  const files = Object.fromEntries(
    Object.entries(renderProgress(loop))
      .filter(([name]) => name.endsWith(".md"))
      .map(([name, text]) => [name, text.replace(/^<!-- ccw-loop:.*$/m, "")]),
  );
  const { skill_state, notes } = parseProgress(files);
  expect(notes.length).toBeGreaterThan(2);
  expect(skill_state?.develop.tasks).toMatchObject([
    { id: "a", status: "completed", summary: "did it", files_changed: ["a.js"] },
    { description: "do b", status: "pending" },
  ]);
  expect(skill_state?.debug).toMatchObject({
    active_bug: "the cart",
    confirmed_hypothesis: "H1",
    hypotheses: [
      {
        id: "H1",
        description: "It rounds <twice>",
        testable_condition: "x | y",
        evidence: { seen: true },
      },
    ],
    notes: [{ text: "it rounds twice" }],
  });
  expect(skill_state?.validate).toMatchObject({ passed: false, pass_rate: 50 });
  expect(skill_state?.validate.failed_tests).toEqual(["total"]);
});
