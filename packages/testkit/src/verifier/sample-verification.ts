import type { Verification } from "@ccw-loop/core";

/** What a verifier tells of a run of one test, for fakes that run none. */
export function sampleVerification(passed: boolean): Verification {
  const counts = { total: 1, passed: passed ? 1 : 0, failed: passed ? 0 : 1, skipped: 0 };
  const reason = passed ? "1 of 1 tests passed." : "1 of 1 tests failed.";
  return {
    command: "npm test",
    started_at: "2026-01-22T10:00:00.000Z",
    duration_ms: 5,
    exit_code: passed ? 0 : 1,
    report: "junit",
    counts,
    tests: [
      {
        test_name: "total",
        suite: "cart",
        status: passed ? "passed" : "failed",
        duration_ms: 1,
        error_message: passed ? null : "1 is not 2",
        stack_trace: null,
      },
    ],
    coverage: null,
    coverage_files: [],
    passed,
    reason,
    output_tail: "",
    test_files: {},
    environment: "e".repeat(64),
    commands: [
      {
        command: "npm test",
        exit_code: passed ? 0 : 1,
        duration_ms: 5,
        report: "junit",
        runner: null,
        counts,
        verdict: passed ? "passed" : "tests_failed",
        reason,
      },
    ],
  };
}
