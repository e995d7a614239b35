import { z } from "zod";

/** One test of one run (seed 000). */
export const TestResult = z
  .looseObject({
    test_name: z.string(),
    suite: z.string().default(""),
    /** The file that holds it, from the project root, where the report says so. */
    file: z.string().optional(),
    status: z.enum(["passed", "failed", "skipped"]),
    duration_ms: z.number().default(0),
    error_message: z.string().nullable().default(null),
    stack_trace: z.string().nullable().default(null),
  })
  .meta({ id: "TestResult" });
export type TestResult = z.infer<typeof TestResult>;

/** Tests by their id (`suite > name`), with how they ended. */
export const TestStates = z.record(z.string(), z.enum(["passed", "failed", "skipped"]));
export type TestStates = z.infer<typeof TestStates>;

/** Counts over all tests of a run. */
export const TestCounts = z.object({
  total: z.int(),
  passed: z.int(),
  failed: z.int(),
  skipped: z.int(),
});
export type TestCounts = z.infer<typeof TestCounts>;

/** What one command of a chain came to; `runner` is its name and version, null where none is known. */
export const CommandRun = z.looseObject({
  command: z.string(),
  /** The file that says that it is one of the project's suites; missing for a given command. */
  source: z.string().optional(),
  exit_code: z.int().nullable(),
  duration_ms: z.number(),
  report: z.string().nullable(),
  runner: z.string().nullable().default(null),
  counts: TestCounts,
  /**
   * `tests_failed`: a complete report whose failed tests alone explain the exit code. `untrusted`: anything
   * else that did not pass, so nothing can be said test by test.
   */
  verdict: z.enum(["passed", "tests_failed", "untrusted"]),
  reason: z.string(),
});
export type CommandRun = z.infer<typeof CommandRun>;
