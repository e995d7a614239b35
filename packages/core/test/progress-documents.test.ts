import { describe, expect, test } from "vitest";
import {
  buildSummary,
  durationText,
  LoopState,
  openIssues,
  recommendations,
  renderProgress,
  renderSummary,
} from "../src/index.ts";
import {
  AT,
  created,
  debugged,
  developed,
  done,
  failed,
  initialized,
  loop,
  started,
  state,
  task,
  validated,
} from "./given.ts";

const begun = [created(), started, initialized("a", "b")] as const;
describe("develop.md", () => {
  test("ticks the boxes, counts, and has one entry per completed task", () => {
    const text = renderProgress(state(...begun, developed("a"), failed("DEVELOP", "b")))[
      "develop.md"
    ];
    expect(text).toContain("1. [x] do a\n2. [ ] do b (failed)");
    expect(text).toContain("| Progress | 50% |");
    expect(text).toMatch(/### Iteration 1 - do a \(2026-01-22T10:00:00\.000Z\)/);
    expect(text).toContain("> did it");
    expect(text).toContain("- `a.js`");
    expect(text).toContain("#### Status: COMPLETED");
    expect(text).not.toContain("### Iteration 2");
    expect(text).toMatch(/## Failed Actions\n\n- \S+ `DEVELOP`: no/);
  });

  test("only grows: what was rendered before stays as it was", () => {
    const first = [...begun, developed("b")] as const;
    const later = { ...developed("a"), at: "2026-01-22T10:05:00.000Z" };
    const [one, two] = [state(...first), state(...first, later)];
    const timeline = (s: LoopState) => {
      const text = renderProgress(s)["develop.md"] ?? "";
      return text.slice(text.indexOf("## Progress Timeline"), text.indexOf("\n\n<!--"));
    };
    expect(timeline(two).startsWith(timeline(one))).toBe(true);
    expect(timeline(two).length).toBeGreaterThan(timeline(one).length);
  });

  test("shows what the agent claimed where it differs from what was measured", () => {
    const event = done({
      action: "DEVELOP",
      task_id: "a",
      summary: "s",
      files_changed: [],
      claimed_files: ["ghost.ts"],
    });
    const text = renderProgress(state(...begun, event))["develop.md"];
    expect(text).toContain("- No files changed");
    expect(text).toContain("#### Files Claimed by the Agent\n\n- `ghost.ts`");
  });
});

describe("validate.md and its data files", () => {
  const runs = state(...begun, validated(false), validated(true, { iteration: 3 }));

  test("keep every run", () => {
    const text = renderProgress(runs)["validate.md"] ?? "";
    expect(text).toContain("### Run 1 - FAIL");
    expect(text).toContain("### Run 2 - PASS");
    expect(text).toContain("- cart \\> total");
    expect(text).toContain("## Iteration 3 - Validation Run");
    expect(text).toContain("**Result**: PASS");
    expect(text).toContain("| Pass Rate | 100% |");
    expect(text).toContain("_No coverage data available_");
  });

  test.each<[string, LoopState, string]>([
    ["never run", state(...begun), "NOT RUN"],
    ["failed", state(...begun, validated(false)), "FAIL"],
    ["changed since", state(...begun, validated(true), developed("a")), "STALE"],
  ])("say what a run that was %s decides", (_, loop, result) => {
    expect(renderProgress(loop)["validate.md"]).toContain(`**Result**: ${result}\n`);
  });

  test("show the failure with its message", () => {
    const text = renderProgress(state(...begun, validated(false)))["validate.md"];
    expect(text).toContain("#### total\n\n- **Suite**: cart\n\n> 1 is not 2");
    expect(text).not.toContain("All tests passed");
  });

  test("test-results.json counts all tests of the run, also those whose results are not kept", () => {
    const json = JSON.parse(renderProgress(runs)["test-results.json"] ?? "");
    expect(json).toMatchObject({
      iteration: 3,
      passed: true,
      summary: { total: 2, passed: 2, failed: 0, skipped: 0, pass_rate: 100 },
      coverage: null,
    });
    const measured = LoopState.parse(runs);
    if (measured.skill_state) measured.skill_state.validate.coverage = 81.5;
    expect(JSON.parse(renderProgress(measured)["coverage.json"] ?? "")).toEqual({
      overall: { lines: 81.5 },
      files: [],
    });
    expect(JSON.parse(renderProgress(runs)["coverage.json"] ?? "").overall).toBeNull();
  });

  test("changes.log tells success from failure", () => {
    const loop = state(...begun, developed("a"), failed("DEVELOP", "b"));
    const records = (renderProgress(loop)["changes.log"] ?? "")
      .trim()
      .split("\n")
      .map((l) => JSON.parse(l));
    expect(records).toEqual([
      {
        timestamp: AT,
        task_id: "a",
        description: "do a",
        files_changed: ["a.js"],
        result: "success",
      },
      { timestamp: null, task_id: "b", description: "do b", files_changed: [], result: "failed" },
    ]);
  });
});

describe("the summary", () => {
  const later = "2026-01-22T11:02:03.000Z";
  const proven = state(...begun, developed("a"), developed("b"), validated(true));

  test("of a proven loop", () => {
    expect(buildSummary(proven, later)).toEqual({
      duration: 3_723_000,
      active_ms: 40,
      iterations: 3,
      generated_at: later,
      outcome: { status: "completed", code: "proven", message: expect.any(String) },
      develop: { total_tasks: 2, completed_tasks: 2, completion_rate: 100 },
      debug: { iterations: 0, hypotheses_tested: 0, root_cause_found: false },
      validate: { runs: 1, passed: true, coverage: null, failed_tests: 0 },
      open_issues: [],
      recommendations: [expect.stringMatching(/Review/), expect.any(String), expect.any(String)],
    });
  });

  test("is written once COMPLETE has left it in the state", () => {
    expect(renderProgress(proven)).not.toHaveProperty("summary.md");
    const summary = { ...buildSummary(proven, later) };
    const completed = state(
      ...begun,
      developed("a"),
      developed("b"),
      validated(true),
      done({ action: "COMPLETE", summary }),
    );
    const text = renderProgress(completed)["summary.md"] ?? "";
    expect(text).toContain("**Duration**: 1h 2m");
    expect(text).toContain(`*Generated by CCW Loop at ${later}*`);
    expect(text).toContain("the project's own tests passed");
    expect(text).not.toContain("## Open Issues");
  });

  test("at a limit lists what is open", () => {
    const limited = state(
      created({ max_iterations: 2 }),
      started,
      initialized("a", "b"),
      developed("a"),
      validated(false),
    );
    expect(openIssues(limited)).toEqual([
      expect.stringMatching(/^A limit was reached \(max_iterations\)/),
      "Task b is pending: do b",
      "Test failed: cart > total",
    ]);
    const text = renderSummary(limited);
    expect(text).toContain("## Open Issues\n\n- A limit was reached");
    expect(text).toContain("- Test failed: cart \\> total");
    expect(text).toContain("The work is partially complete.");
    expect(text).toContain("| Completion Rate | 50% |");
    expect(text).toContain("### Pending Tasks\n\n- do b (pending)");
    expect(text).toContain("| Status | FAILED |");
  });

  test("never has a negative duration, whatever clock wrote the state", () => {
    expect(buildSummary(loop({ created_at: later }), AT).duration).toBe(0);
  });

  test.each<[string, LoopState, RegExp[]]>([
    ["unfinished", state(...begun, developed("a")), [/remaining tasks/, /failing tests/]],
    [
      "failed",
      state(...begun, developed("a"), developed("b"), validated(false)),
      [/failing tests/],
    ],
    ["proven", proven, [/Review/, /documentation/, /Deploy/]],
    ["without tasks", state(...begun.slice(0, 2), initialized()), [/failing tests/]],
    ["little coverage", withCoverage(60), [/coverage from 60%/]],
    ["good coverage", withCoverage(80), [/Review/, /documentation/, /Deploy/]],
    ["no coverage", withCoverage(0), [/Review/, /documentation/, /Deploy/]],
    [
      "debugging for long",
      state(
        ...begun,
        developed("a"),
        developed("b"),
        ...Array.from({ length: 4 }, () => debugged()),
      ),
      [/failing tests/, /redesign/],
    ],
  ])("recommends for a loop that is %s", (_, loop, wanted) => {
    const found = recommendations(loop);
    expect(found).toHaveLength(wanted.length);
    wanted.forEach((pattern, i) => {
      expect(found[i]).toMatch(pattern);
    });
  });

  function withCoverage(coverage: number): LoopState {
    const loop = structuredClone(proven);
    if (loop.skill_state) loop.skill_state.validate.coverage = coverage;
    return loop;
  }

  test.each([
    [0, "0s"],
    [59_999, "59s"],
    [60_000, "1m 0s"],
    [3_599_000, "59m 59s"],
    [3_600_000, "1h 0m"],
    [90_061_000, "25h 1m"],
    [-28_800_000, "0s"],
    [Number.NaN, "0s"],
  ])("%d ms is %s", (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });
});

test("a task without a summary, a file or a description renders", () => {
  const bare = loop({
    skill_state: {
      ...state(...begun).skill_state,
      develop: {
        total: 1,
        completed: 1,
        tasks: [task("a", { status: "completed", description: "" })],
      },
    } as LoopState["skill_state"],
  });
  expect(renderProgress(LoopState.parse(bare))["develop.md"]).toContain("_No summary was given_");
});
