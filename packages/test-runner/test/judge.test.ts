import { expect, test } from "vitest";
import { type Evidence, judge } from "../src/judge.ts";
import type { Report } from "../src/reports/report.ts";

const failed = (name: string) => ({
  test_name: name,
  suite: "",
  status: "failed" as const,
  duration_ms: 0,
  error_message: null,
  stack_trace: null,
});
const report = (
  passed: number,
  failures: string[],
  skipped = 0,
  more: Partial<Report> = {},
): Report => ({
  format: "junit",
  damage: null,
  unnamedFailure: null,
  running: [],
  counts: { total: passed + failures.length + skipped, passed, failed: failures.length, skipped },
  tests: failures.map(failed),
  ...more,
});
const clean: Evidence = {
  exitCode: 0,
  killedBy: null,
  timedOutAfterMs: null,
  asked: null,
  report: null,
  failureCodes: null,
};

test.each<[Partial<Evidence>, string]>([
  [{ report: report(2, []) }, "2 tests passed."],
  [{ report: report(1, [], 2) }, "1 test passed, 2 skipped."],
  [{}, "Passed by exit code only: no report."],
])("%j passes: %s", (evidence, reason) => {
  expect(judge({ ...clean, ...evidence })).toEqual({ verdict: "passed", reason });
});

test.each<[Partial<Evidence>, string]>([
  [{ exitCode: 2 }, "The test command exited with 2."],
  [{ exitCode: null, killedBy: "SIGSEGV" }, "The test command was ended by SIGSEGV."],
  [
    { exitCode: null, timedOutAfterMs: 90_000 },
    "The tests were ended after 90 s, their time limit (--test-timeout).",
  ],
  [
    { exitCode: null, timedOutAfterMs: 50, report: report(3, []) },
    "The tests were ended after 50 ms, their time limit (--test-timeout).",
  ],
  [
    { asked: "vitest" },
    "The vitest report is missing, although the command exited with 0: no test is known to have run.",
  ],
  [{ asked: "vitest", exitCode: 1 }, "The test command exited with 1."],
  [
    { exitCode: 1, report: report(3, []) },
    "The report has no failed test, but the command exited with 1.",
  ],
  [{ report: report(3, ["a"]) }, "The report has 1 failed test, but the command exited with 0."],
  [{ report: report(0, []) }, "No test ran (the command exited with 0)."],
  [{ exitCode: 1, report: report(0, []) }, "No test ran (the command exited with 1)."],
  [{ report: report(0, [], 4) }, "No test ran: all 4 were skipped."],
  [
    { report: report(3, [], 0, { damage: "it is cut off" }) },
    "The junit report cannot be trusted: it is cut off (the command exited with 0).",
  ],
  [
    { report: report(3, [], 0, { unnamedFailure: "a suite failed" }) },
    "The report contradicts itself: a suite failed (the command exited with 0).",
  ],
  [
    { exitCode: 1, report: report(3, ["a"], 0, { unnamedFailure: "a suite\n failed" }) },
    "The report contradicts itself: a suite failed (the command exited with 1).",
  ],
  [
    { exitCode: 2, failureCodes: [1], report: report(3, ["a"]) },
    "1 of 4 tests failed: a; but the command exited with 2, which no failed test explains.",
  ],
  [
    { exitCode: 139, report: report(3, ["a"]) },
    "1 of 4 tests failed: a; but the command exited with 139, which no failed test explains.",
  ],
])("%j is not trusted: %s", (evidence, reason) => {
  expect(judge({ ...clean, ...evidence })).toEqual({ verdict: "untrusted", reason });
});

test.each<[Partial<Evidence>, string]>([
  [{ report: report(3, ["a", "b\n  c"]) }, "2 of 5 tests failed: a; b c."],
  [{ report: report(0, ["a", "b", "c", "d", "e"]) }, "5 of 5 tests failed: a; b; c; and 2 more."],
  [{ exitCode: 101, failureCodes: [101], report: report(3, ["a"]) }, "1 of 4 tests failed: a."],
])("%j failed by its tests alone: %s", (evidence, reason) => {
  expect(judge({ ...clean, exitCode: 1, ...evidence })).toEqual({
    verdict: "tests_failed",
    reason,
  });
});
