import type { Verification, Verifier, VerifyPlan } from "@ccw-loop/core";

/** Runs nothing: every project has tests, every run passes and says one line. */
export function passingVerifier(): Verifier {
  return {
    detect: async (_cwd, command = "npm test") => ({
      command,
      source: "given",
      parts: [{ command, report: "junit" }],
    }),
    check: async () => [],
    missing: async () => [],
    surroundings: async (_cwd, since) => ({ since, newer: [], changed: false }),
    probe: async () => ({ exit_code: 0, duration_ms: 1, output: "probed", timed_out: false }),
    async verify(_plan, { onOutput }) {
      onOutput?.("1 passed\n");
      return { ...sampleVerification(true), output_tail: "1 passed\n" };
    },
  };
}

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

/** A plan of these commands, judged by what they print and how they exit. */
export function planOf(...commands: string[]): VerifyPlan {
  return {
    command: commands.join(" && "),
    source: "given",
    parts: commands.map((command) => ({ command, report: "exit-code" })),
  };
}
