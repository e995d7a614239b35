import {
  Cell,
  type CleanedWorktree,
  type LoopDiff,
  type ReceiptCheck,
  Square,
  type TimelineEntry,
} from "@ccw-loop/core";
import { paintedPatch, painter, statText } from "@ccw-loop/view";
import { describe, expect, test } from "vitest";
import { checkText } from "../src/output/outcome.ts";
import { timelineTable, worktreeTable } from "../src/output/tables.ts";
import { receipt } from "./support/events.ts";
import { fakeIo } from "./support/fake-io.ts";

const paint = painter(false);
const hint = (text: string) => text;
const context = { io: fakeIo(), paint, hint };
const wide = (columns: number) => {
  const io = fakeIo();
  Object.assign(io.stdout, { isTTY: true, columns });
  return { io, paint, hint };
};

const entry = (over: Partial<TimelineEntry>): TimelineEntry => ({
  checkpoint: null,
  action: "DEVELOP",
  at: "2026-01-22T10:00:05.123Z",
  outcome: "completed",
  message: "Done.",
  task_id: null,
  active_ms: 1500,
  tokens: 0,
  turns: 1,
  diffstat: null,
  tests: null,
  rewound: false,
  ...over,
});

describe("the timeline", () => {
  const entries = [
    entry({ checkpoint: 1, action: "INIT", message: "Planned.", tokens: 2340 }),
    entry({
      checkpoint: 2,
      task_id: "task-001",
      diffstat: { files: 3, added: 12, removed: 4 },
      message: "Rounded\u001b[31m\nit.",
    }),
    entry({
      checkpoint: 3,
      action: "VALIDATE",
      diffstat: { files: 0, added: 0, removed: 0 },
      tests: { total: 6, passed: 3, failed: 2, skipped: 1, passed_overall: false },
    }),
    entry({
      action: "VALIDATE",
      tests: { total: 0, passed: 0, failed: 0, skipped: 0, passed_overall: true },
    }),
    entry({ outcome: "interrupted", message: "paused", active_ms: 90_000 }),
  ];
  const rows = (some: TimelineEntry[], place = context) =>
    timelineTable("cart", some, place).split("\n");

  test("has a row for each action", () => {
    expect(rows(entries).map((line) => line.split(/ {2,}/))).toEqual([
      ["#", "TIME", "ACTION", "OUTCOME", "FILES", "TESTS", "TOKENS", "TOOK", "MESSAGE"],
      ["1", "10:00:05Z", "INIT", "completed", "-", "-", "2340", "1.5s", "Planned."],
      [
        "2",
        "10:00:05Z",
        "DEVELOP task-001",
        "completed",
        "3 +12 -4",
        "-",
        "-",
        "1.5s",
        "Rounded it.",
      ],
      ["3", "10:00:05Z", "VALIDATE", "completed", "0", "3/5", "-", "1.5s", "Done."],
      ["-", "10:00:05Z", "VALIDATE", "completed", "-", "passed", "-", "1.5s", "Done."],
      ["-", "10:00:05Z", "DEVELOP", "interrupted", "-", "-", "-", "1m 30s", "paused"],
    ]);
  });

  test("names the days when there are several", () => {
    const later = entry({ at: "2026-01-23T09:00:00.000Z" });
    const times = rows([...entries, later]).map((line) => line.split(/ {2,}/)[1]);
    expect(times[1]).toBe("2026-01-22T10:00:05Z");
    expect(times.at(-1)).toBe("2026-01-23T09:00:00Z");
  });

  test("is no wider than the terminal", () => {
    const lines = rows(entries, wide(60));
    expect(Math.max(...lines.map((line) => line.length))).toBe(60);
    expect(lines[1]).toMatch(/…$/);
  });

  test("says what a rewind took back, and no number that leads there", () => {
    const lines = rows([entry({ checkpoint: 1 }), entry({ checkpoint: 2, rewound: true })]).slice(
      1,
    );
    expect(lines[0]).toMatch(/^1 .* completed {2}/);
    expect(lines[1]).toMatch(/^- .* completed, rewound {2}/);
  });

  test("of a loop that did nothing says how to drive it", () => {
    expect(rows([])).toEqual([
      "Loop cart has done nothing yet. Drive it with: ccw-loop run --loop-id cart",
    ]);
  });
});

describe("a diff", () => {
  const patch = [
    "diff --git a/x b/x",
    "--- a/x",
    "+++ b/x",
    "@@ -1,2 +1,2 @@",
    " same",
    "-old",
    "+new\r\u001b[2J",
    "",
  ].join("\n");

  test("is painted and inert on a terminal", () => {
    const lines = paintedPatch(patch, painter(true)).split("\n");
    expect(lines).toHaveLength(8);
    expect(lines[2]).toBe("\u001b[1m+++ b/x\u001b[22m");
    expect(lines[3]).toBe("\u001b[36m@@ -1,2 +1,2 @@\u001b[39m");
    expect(lines.slice(4)).toEqual([
      " same",
      "\u001b[31m-old\u001b[39m",
      "\u001b[32m+new\u001b[39m",
      "",
    ]);
  });

  test("lists its files with their lines", () => {
    const diff: LoopDiff = {
      from: 0,
      to: 4,
      patch,
      files: [
        { path: "src/cart.js", kind: "modified", added: 12, removed: 4 },
        { path: "logo\u001b[31m.png", kind: "added", added: null, removed: null },
        { path: "old.js", kind: "deleted", added: 0, removed: 9 },
      ],
    };
    expect(statText(diff, paint).split("\n")).toEqual([
      "FILE     LINES   PATH",
      "changed  +12 -4  src/cart.js",
      "added    binary  logo.png",
      "deleted  +0 -9   old.js",
      "3 files, +12 -13, from checkpoint 0 to 4",
    ]);
    expect(statText({ ...diff, files: [] }, paint)).toBe("0 files, +0 -0, from checkpoint 0 to 4");
  });
});

describe("worktrees", () => {
  const tree = (over: Partial<CleanedWorktree>): CleanedWorktree => ({
    id: "a",
    path: "/trees/a/app",
    top: "/trees/a",
    branch: "ccw-loop/a",
    bytes: 1_200_000,
    dirty: false,
    made_at: null,
    status: "completed",
    removed: true,
    reason: null,
    ...over,
  });
  const stays = tree({
    id: "b",
    status: "running",
    removed: false,
    reason: "The loop is running.",
    bytes: 800,
  });

  test("tell what they take, and what became of them", () => {
    const gone = tree({ id: "c", status: null, bytes: 2000 });
    const options = { dryRun: false, context };
    expect(worktreeTable([tree({}), stays, gone], options).split("\n")).toEqual([
      "LOOP  STATUS     SIZE    RESULT                       FOLDER",
      "a     completed  1.2 MB  removed                      /trees/a",
      "b     running    800 B   stays: The loop is running.  /trees/a",
      "c     gone       2.0 kB  removed                      /trees/a",
      "2 of 3 removed: 1.2 MB of 1.2 MB. Branches with work of their own stay.",
    ]);
  });

  test("of a dry run are all still there", () => {
    const text = worktreeTable([tree({ removed: false }), stays], { dryRun: true, context });
    expect(text).toContain("would be removed  ");
    expect(text).toMatch(/\n1 of 2 would be removed: 1\.2 MB of 1\.2 MB\.$/);
  });

  test("may be none", () => {
    expect(worktreeTable([], { dryRun: false, context })).toBe("No loop has a worktree here.");
  });
});

describe("a checked receipt", () => {
  const cell = Cell.parse({
    command: "npm test",
    where: "clean_room",
    exit_code: 0,
    counts: { total: 5, passed: 5, failed: 0, skipped: 0 },
    reason: "5 tests passed.",
    duration_ms: 2000,
  });
  const red = { ...cell, counts: { total: 5, passed: 3, failed: 2, skipped: 0 }, exit_code: 1 };
  const end = { tree: "aaaa", commit: "cccc" };
  const square = Square.parse({
    ...{ start: end, present: end, sources: ["cart.js"], witnesses: ["cart > adds"] },
    cells: { baseline: red, start: red, verdict: cell, counterfactual: null, present: cell },
  });
  const check: ReceiptCheck = { receipt: receipt(true), result: "stands", problems: [], square };

  test("stands: the new runs as a table of two by two", () => {
    expect(checkText("loop cart", check, paint).split("\n")).toEqual([
      "The receipt of loop cart stands.",
      "  Receipt         receipt-1, 2026-01-22T10:00:00.000Z",
      "  Files           tree bbbb",
      "  Command         npm test",
      "  Square                              sources at the start   sources now",
      "                  tests at the start  3 green, 2 red         5 green",
      "                  tests now           (no test was changed)  5 green",
      "  Witnesses       cart > adds",
      "  Sources         cart.js",
      "  In clean rooms  2 test runs, 4.0s",
    ]);
  });

  test("falls: each problem with its details, bounded and inert", () => {
    const details = Array.from({ length: 13 }, (_, i) => `modified: test/${i}.js\u001b[31m`);
    const problems: ReceiptCheck["problems"] = [
      { kind: "tree", message: "The files are not those that were tested.", details },
      { kind: "receipt", message: "The receipt was edited.", details: [] },
    ];
    const falls = { ...check, result: "falls", problems, square: null } as const;
    const lines = checkText("r.json", falls, paint).split("\n");
    expect(lines[0]).toBe("The receipt of r.json does not stand: 2 problems.");
    expect(lines).toContain("  Command  not run");
    expect(lines.slice(-13)).toEqual([
      "✖ The files are not those that were tested.",
      ...Array.from({ length: 10 }, (_, i) => `    modified: test/${i}.js`),
      "    … and 3 more",
      "✖ The receipt was edited.",
    ]);
  });

  test("that cannot be told about says what is missing", () => {
    const problems: ReceiptCheck["problems"] = [
      { kind: "missing", message: "The start is not here.", details: [] },
    ];
    const unknown = { ...check, result: "unknown", problems, square: null } as const;
    const lines = checkText("r.json", unknown, paint).split("\n");
    expect(lines[0]).toBe("Whether the receipt of r.json stands cannot be told here.");
    expect(lines.at(-1)).toBe("✖ The start is not here.");
  });
});
