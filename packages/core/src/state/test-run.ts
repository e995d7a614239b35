import { z } from "zod";
import type { Known } from "../json.ts";
import { Timestamp } from "./scalars.ts";

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
export type TestResult = Known<z.infer<typeof TestResult>>;

/** Tests by their id (`suite > name`), with how they ended. */
export const TestStates = z.record(z.string(), z.enum(["passed", "failed", "skipped"]));
export type TestStates = Known<z.infer<typeof TestStates>>;

export const TestCounts = z.object({
  total: z.int(),
  passed: z.int(),
  failed: z.int(),
  skipped: z.int(),
});
export type TestCounts = Known<z.infer<typeof TestCounts>>;

/** What one command of a chain came to; `runner` is whose report it has, null where that is not known. */
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
export type CommandRun = Known<z.infer<typeof CommandRun>>;

/**
 * How the tests stood before the loop changed anything, measured once in INIT. `command` is empty
 * and `reason` says why when there was nothing to run.
 */
export const Baseline = z
  .looseObject({
    at: Timestamp,
    tree: z.string().nullable(),
    command: z.string(),
    reason: z.string(),
    counts: TestCounts,
    tests: TestStates.default({}),
    /** False when there were more tests than are kept with their names: then only counts can be compared. */
    complete: z.boolean().default(true),
    commands: z.array(CommandRun).default([]),
    coverage: z.number().nullable().default(null),
    test_files: z.array(z.string()).default([]),
    asserting_files: z.array(z.string()).default([]),
    /** The command that was run before the tests, and how it ended. */
    setup: z.looseObject({ command: z.string(), duration_ms: z.number() }).optional(),
    /** Names what was installed in the project then; absent where that is not known. */
    installed: z.string().optional(),
  })
  .meta({ id: "Baseline" });
export type Baseline = Known<z.infer<typeof Baseline>>;

/** How many tests a baseline and a receipt keep by name. */
export const TESTS_KEPT = 2000;
