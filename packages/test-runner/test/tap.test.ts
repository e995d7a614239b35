import { describe, expect, test } from "vitest";
import { outline, parse, recorded } from "./parse.ts";

describe("tap", () => {
  test("reads mocha's output with everything around it", () => {
    const report = parse("tap", recorded("mocha.tap"));
    expect(report).toMatchObject({
      damage: null,
      counts: { total: 3, passed: 1, failed: 1, skipped: 1 },
    });
    expect(report.tests[0]).toMatchObject({
      test_name: "bill rounds",
      error_message: "boom\non two lines",
    });
    expect(report.tests[0]?.stack_trace).toContain("test/bill.js:7:9");
  });

  test("reads subtests and counts them once", () => {
    const report = parse("tap", recorded("nested.tap"));
    expect(report.damage).toBeNull();
    expect(outline(report)).toEqual([
      "bill: rounds = failed",
      "bill: adds = passed",
      ": later = skipped",
    ]);
    expect(report.tests[0]).toMatchObject({ error_message: "expected 1", duration_ms: 2.5 });
  });

  test("adds up documents that follow each other", () => {
    const one = "TAP version 13\nok 1 a\nnot ok 2 b\n1..2\n";
    const report = parse("tap", `${one}\n> next package\n${one}1..1\nok 1 c\n`);
    expect(report).toMatchObject({ damage: null, counts: { total: 5, passed: 3, failed: 2 } });
  });

  test.each([
    ["a plan that promises more", "1..3\nok 1\nok 2\n", "promises 3 tests, but it has 2"],
    ["no plan at the end", "TAP version 13\nok 1\n", "plan is missing"],
    ["a version and nothing more", "TAP version 14\n", "plan is missing"],
    [
      "an early end in the first of two",
      "TAP version 13\nok 1\nTAP version 13\nok 1\n1..1\n",
      "plan is missing",
    ],
    ["a bail out", "TAP version 13\n1..2\nok 1\nBail out! database is down\n", "database is down"],
    ["points without version and plan", "ok 1\nok 2\n", "neither"],
    ["other output", "all fine\n", "neither"],
    ["nothing", "", "neither"],
  ])("is damaged by %s", (_, text, reason) => {
    expect(parse("tap", text).damage).toContain(reason);
  });

  test("counts a test to do as skipped, whatever its result", () => {
    const report = parse("tap", "1..2\nnot ok 1 a # TODO\nok 2 b\n");
    expect(report.counts).toEqual({ total: 2, passed: 1, failed: 0, skipped: 1 });
  });

  test("holds no endless block and no endless line", () => {
    const block = "      more of it\n".repeat(100_000);
    const text = `1..2\nnot ok 1 a\n  ---\n  message: |-\n${block}  ...\nok 2 ${"b".repeat(1_000_000)}\n`;
    const report = parse("tap", text, 64 * 1024);
    expect(report).toMatchObject({ damage: null, counts: { total: 2, failed: 1 } });
    expect(report.tests[0]?.error_message?.length).toBeLessThan(9000);
    expect(report.tests[1]?.test_name.length).toBeLessThan(1100);
  });
});
