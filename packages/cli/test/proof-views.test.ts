import { Baseline, type Comparison, LoopState, Objection, Receipt, Waiting } from "@ccw-loop/core";
import {
  baselineRows,
  comparisonRows,
  comparisonText,
  coverageLines,
  firstLines,
  namedRows,
  objectionLines,
  painter,
  receiptLines,
  receiptRows,
  waitingText,
} from "@ccw-loop/view";
import { describe, expect, test } from "vitest";
import { outcomeData, outcomeText } from "../src/output/outcome.ts";
import { AT, loop, receipt } from "./support/events.ts";

const paint = painter(false);
const hint = (text: string) => text;
const parts = { stateFile: (id: string) => `/project/.workflow/.loop/${id}.json` };
const context = { parts, paint, hint };

const nothing: Comparison = {
  new_failures: [],
  fixed: [],
  still_failing: [],
  owed: [],
  flaky: [],
  removed: [],
  added: [],
};

const objection = (over: Partial<Objection> = {}): Objection =>
  Objection.parse({
    key: "skipped:test/cart.js:12",
    kind: "skipped",
    path: "test/cart.js",
    message: "A test is skipped.",
    ...over,
  });

const baseline = Baseline.parse({
  at: AT,
  tree: "aaaa",
  command: "npm test",
  reason: "2 tests failed.",
  counts: { total: 3, passed: 1, failed: 2, skipped: 0 },
  tests: { "cart > adds": "passed", "cart > coupons": "failed", "cart > rounds": "failed" },
});

const rich = Receipt.parse({
  ...receipt(true),
  runs: 3,
  commands: [
    {
      command: "npm run lint",
      exit_code: 0,
      duration_ms: 400,
      report: null,
      runner: null,
      counts: { total: 0, passed: 0, failed: 0, skipped: 0 },
      verdict: "passed",
      reason: "It exits with 0.",
    },
    {
      command: "npm test",
      exit_code: 1,
      duration_ms: 1100,
      report: "junit",
      runner: "vitest 4.1.0",
      counts: { total: 5, passed: 4, failed: 1, skipped: 0 },
      verdict: "untrusted",
      reason: "Its report is not complete.",
    },
  ],
  comparison: { ...nothing, fixed: ["cart > coupons"], flaky: ["cart > rounds"] },
  objections: [objection(), objection({ key: "config", path: "" })],
  tests_digest: "d".repeat(64),
  checkpoint: "c".repeat(40),
  seal: "hmac-sha256:0123456789abcdef:ff",
});

describe("beside the tests before", () => {
  test.each<[string, Partial<Comparison>, string | undefined]>([
    ["nothing to tell", {}, undefined],
    ["one class", { fixed: ["a"] }, "1 fixed"],
    [
      "several",
      { new_failures: ["a", "b"], still_failing: ["c"], owed: ["c"], flaky: ["d"], removed: ["e"] },
      "2 failing now, 1 failed before and still failing, 1 owed, 1 flaky, 1 removed",
    ],
  ])("%s", (_, some, expected) => {
    const whole = expected === undefined ? undefined : `beside the tests before: ${expected}`;
    expect(comparisonText({ ...nothing, ...some })).toBe(whole);
  });

  test("each class lists its tests, bounded", () => {
    const ids = Array.from({ length: 14 }, (_, i) => `test ${i}`);
    const lines = namedRows(
      comparisonRows({ ...nothing, fixed: ids, flaky: ["x\u001b[31m"] }),
      paint,
    );
    expect(lines).toHaveLength(12);
    expect(lines[0]).toBe("  Fixed  test 0");
    expect(lines[10]).toBe("         … and 4 more");
    expect(lines[11]).toBe("  Flaky  x");
  });

  test("few says how many are missing", () => {
    expect(firstLines(["a", "b"], 2)).toEqual(["a", "b"]);
    expect(firstLines(["a", "b", "c"], 1)).toEqual(["a", "… and 2 more"]);
  });
});

describe("the tests that failed before", () => {
  test.each<[string, Partial<LoopState>, [string, readonly string[]][]]>([
    ["no baseline", {}, []],
    [
      "narrowed by the operator",
      { baseline, settings: { known_red: ["rounds"] } },
      [
        ["Baseline", ["npm test: 1 passed, 2 failed"]],
        ["Owed", ["cart > coupons"]],
        ["Known-red", ["cart > rounds"]],
      ],
    ],
    [
      "narrowed by names that no test has",
      {
        baseline,
        settings: { known_red: ["cart > Roundz", "npm test"], targets: ["coupons", "zebra"] },
      },
      [
        ["Baseline", ["npm test: 1 passed, 2 failed"]],
        ["Owed", ["cart > coupons"]],
        ["Known-red", ["cart > rounds"]],
        ["No such test", ['No test is called "zebra"', 'No test is called "cart > Roundz"']],
      ],
    ],
    [
      "whatever the task says",
      { baseline, title: "Add a page" },
      [
        ["Baseline", ["npm test: 1 passed, 2 failed"]],
        ["Owed", ["cart > coupons", "cart > rounds"]],
        ["Known-red", []],
      ],
    ],
    [
      "all green",
      { baseline: { ...baseline, tests: { a: "passed" } } },
      [
        ["Baseline", ["npm test: 1 passed, 2 failed"]],
        ["Owed", []],
        ["Known-red", []],
      ],
    ],
    [
      "nothing to run",
      { baseline: { ...baseline, command: "", reason: "No test command.", tests: {} } },
      [
        ["Baseline", ["No test command."]],
        ["Owed", []],
        ["Known-red", []],
      ],
    ],
  ])("%s", (_, some, rows) => {
    expect(baselineRows(LoopState.parse({ ...loop, ...some }))).toEqual(rows);
  });
});

describe("a receipt", () => {
  test("in a few lines: the chain, how often, what changed", () => {
    expect(receiptLines(rich)).toEqual([
      "npm test: passed",
      "5 passed, 0 failed; exit code 0, junit report, 1.5s, run 3 times",
      "npm run lint: passed (exit code 0, 400ms)",
      "npm test: not trusted (vitest 4.1.0, 4 passed, 1 failed, exit code 1, 1.1s) Its report is not complete.",
      "beside the tests before: 1 fixed, 1 flaky",
      "receipt receipt-1, tree bbbb",
    ]);
  });

  test("with every field", () => {
    const rows = Object.fromEntries(receiptRows(rich));
    expect(rows).toMatchObject({
      Results: [expect.stringContaining("npm run lint"), expect.stringContaining("vitest 4.1.0")],
      Runs: ["3"],
      Fixed: ["cart > coupons"],
      Objections: ["A test is skipped. (test/cart.js)", "A test is skipped."],
      Checkpoint: ["c".repeat(40)],
      "Test digest": ["d".repeat(64)],
      Seal: ["hmac-sha256:0123456789abcdef:ff"],
    });
    const older = namedRows(receiptRows(receipt(true)), paint).join("\n");
    expect(older).not.toMatch(/Waived|Results|Checkpoint|Square|undefined|null/);
  });
});

describe("objections", () => {
  const state = LoopState.parse({
    ...loop,
    receipts: [
      {
        ...rich,
        objections: [objection(), objection({ key: "b", path: "" })],
      },
    ],
    accepted: ["b"],
  });

  test("tell their place and whether somebody accepted them", () => {
    expect(objectionLines(state)).toEqual([
      "open: A test is skipped. (test/cart.js)",
      "accepted: A test is skipped.",
    ]);
  });

  const waiting = Waiting.parse({
    kind: "approval",
    since: AT,
    prompt: "This alone does not prove the work:\n- A test is skipped.\u001b[2J (test/cart.js:12)",
    options: ["accept", "reject"],
    about: "objections",
  });

  test("are one sentence where one line is shown", () => {
    expect(waitingText(waiting)).toBe("Waits for approval: This alone does not prove the work.");
    const { about, ...other } = waiting;
    expect(waitingText(other)).toContain("does not prove the work:\n- A test is");
  });

  test("are the whole question at the end of a run, with the way to answer it", () => {
    const text = outcomeText({ ...state, waiting }, context);
    expect(text).toContain(
      "Waits for approval: This alone does not prove the work. · Fix the cart\n\nThis alone does not prove the work:\n- A test is skipped. (test/cart.js:12)\n\n",
    );
    expect(text).toContain("ccw-loop answer cart accept\n");
    expect(text).toContain("ccw-loop answer cart reject\n");
    expect(text).not.toContain("\u001b");
    expect(outcomeData({ ...state, waiting }, context)).toMatchObject({
      exit_code: 4,
      objections: [{ key: "skipped:test/cart.js:12" }],
    });
  });

  test("that were accepted are told when the loop is done", () => {
    const done: LoopState = { ...state, status: "completed", accepted: ["b", objection().key] };
    expect(outcomeText(done, context)).toMatch(/Accepted {2}accepted: A test is skipped\./);
    const paused = outcomeText({ ...done, status: "paused" }, context);
    expect(paused).not.toContain("Accepted");
    expect(paused).toMatch(/Objections {2}accepted: A test is skipped\./);
  });
});

test.each([
  [100, undefined, AT, ["100 % of the lines"]],
  [91.5, 80, AT, ["91.5 % of the lines, at least 80 % asked for"]],
  [null, 80, AT, []],
  [0, 80, null, []],
])("coverage of %s %%, %s asked for, tests run at %s", (coverage, min_coverage, at, expected) => {
  const tested = LoopState.parse({
    ...loop,
    settings: { ...(min_coverage === undefined ? {} : { min_coverage }) },
    skill_state: { current_action: "validate", validate: { coverage, last_run_at: at } },
  });
  expect(coverageLines(tested)).toEqual(expected);
});

test("a loop with a worktree ends with its folder, its branch and the command that merges it", () => {
  const workspace = { tree: "bbbb", path: "/trees/cart", branch: "ccw-loop/cart" };
  const state: LoopState = { ...loop, status: "completed", workspace };
  const text = outcomeText(state, context);
  expect(text).toMatch(/Worktree {2}\/trees\/cart\n +branch ccw-loop\/cart\n/);
  expect(text).toMatch(/Next +git merge ccw-loop\/cart\n +ccw-loop clean\n/);
  expect(outcomeData(state, context).worktree).toEqual({
    path: "/trees/cart",
    branch: "ccw-loop/cart",
  });
  const other: LoopState = { ...loop, status: "completed", workspace: { tree: "bbbb" } };
  expect(outcomeText(other, context)).not.toMatch(/Worktree|git merge/);
});
