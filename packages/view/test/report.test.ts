import { LoopState, Receipt, ReceiptCheck } from "@ccw-loop/core";
import { expect, test } from "vitest";
import { checkReport, loopReport } from "../src/index.ts";

const AT = "2026-01-22T10:00:00.000Z";
const EVIL = "a|b`c``d](http://x) <img src=x> @you ]]>&\u001b[31m\uFFFF\n# head";

const cell = (passed: number, failed: number) => ({
  ...{ command: "npm test", where: "in_place", exit_code: failed > 0 ? 1 : 0, reason: "r" },
  ...{ counts: { total: passed + failed, passed, failed, skipped: 0 }, duration_ms: 5 },
});
const receipt = Receipt.parse({
  ...{ id: "r1", iteration: 2, command: "npm test", cwd: "/p", started_at: AT, duration_ms: 5 },
  ...{ exit_code: 0, report: "vitest", passed: true, reason: "All pass.", tree_before: null },
  ...{ counts: { total: 4, passed: 2, failed: 1, skipped: 1 }, tree_after: "abc" },
  tests: { "a > works": "passed", [EVIL]: "failed", "known > red": "failed", later: "skipped" },
  objections: [{ key: "k", kind: "verdict", path: "t.js", message: EVIL }],
  square: {
    start: { tree: "s", commit: "s" },
    present: { tree: "p", commit: "p" },
    tests: ["t.js"],
    cells: {
      baseline: cell(1, 2),
      verdict: cell(2, 1),
      counterfactual: cell(1, 2),
      present: cell(3, 0),
    },
    witnesses: ["a > works"],
  },
});
const state = LoopState.parse({
  ...{ loop_id: "cart", title: EVIL, status: "running", created_at: AT, updated_at: AT },
  settings: { known_red: ["known*"] },
  baseline: {
    ...{ at: AT, tree: null, command: "npm test", reason: "r" },
    counts: { total: 1, passed: 0, failed: 1, skipped: 0 },
    tests: { "known > red": "failed" },
  },
  receipts: [receipt],
});

test("a page has the verdict, the square and what speaks against it; words of others stay words", () => {
  const page = loopReport(state, "markdown");
  expect(page).toContain("|  | sources at the start | sources now |\n| --- | --- | --- |");
  expect(page).toContain("| **tests at the start** | 1 green, 2 red | 2 green, 1 red |");
  expect(page).toContain("### What speaks against it");
  const outside = page.replaceAll(/(?<![\\`])(`+)(?!`).*?(?<!`)\1(?!`)/g, "");
  expect(outside).not.toMatch(/(?<!\\)<img|(?<!\\)\]\(|@you/);
  expect(page).not.toContain("\u001b");
  expect(page.split("\n").filter((line) => line.startsWith("# "))).toEqual([]);
});

test("results of tests say which failed, and which need not pass", () => {
  const file = loopReport(state, "junit");
  expect(file).toContain('<testsuite name="ccw-loop.proof: ');
  expect(file).toMatch(
    /name="ccw-loop\.tests: [^"]*" tests="4" failures="1" errors="0" skipped="2"/,
  );
  expect(file).toContain('<skipped message="red before the loop, and need not pass"/>');
  for (const bad of ["\u001b", "\uFFFF", "<img"]) expect(file).not.toContain(bad);
  expect(file.match(/<failure /g)).toHaveLength(3);
});

test("a receipt that falls is a failure, with what does not fit", () => {
  const check = ReceiptCheck.parse({
    ...{ receipt, result: "falls", square: receipt.square },
    problems: [{ kind: "tree", message: "Other files lie here.", details: ["a.js", "b.js"] }],
  });
  expect(checkReport("r.json", check, "markdown")).toMatch(
    /## ❌ The receipt of r\.json does not stand: 1 problem\.[\s\S]*- Other files lie here\.\n {2}- `a\.js`/,
  );
  expect(checkReport("r.json", check, "junit")).toContain(
    '<failure message="Other files lie here.">a.js&#10;b.js</failure>',
  );
});
