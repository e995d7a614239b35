import { z } from "zod";
import { Timestamp } from "./time.ts";

/** One test of one run (seed 000). */
export const TestResult = z
  .looseObject({
    test_name: z.string(),
    suite: z.string().default(""),
    status: z.enum(["passed", "failed", "skipped"]),
    duration_ms: z.number().default(0),
    error_message: z.string().nullable().default(null),
    stack_trace: z.string().nullable().default(null),
  })
  .meta({ id: "TestResult" });
export type TestResult = z.infer<typeof TestResult>;

/** Counts over all tests of a run. */
export const TestCounts = z.object({
  total: z.int(),
  passed: z.int(),
  failed: z.int(),
  skipped: z.int(),
});
export type TestCounts = z.infer<typeof TestCounts>;

/** Tests by their id (`suite > name`), with how they ended. */
export const TestStates = z.record(z.string(), z.enum(["passed", "failed", "skipped"]));
export type TestStates = z.infer<typeof TestStates>;

/** What one command of a chain came to; `runner` is its name and version, null where none is known. */
export const CommandRun = z.looseObject({
  command: z.string(),
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

/** A run beside the baseline, by test id (ADR 11). */
export const Comparison = z.looseObject({
  new_failures: z.array(z.string()),
  fixed: z.array(z.string()),
  still_failing: z.array(z.string()),
  /** Those of `still_failing` that this loop has to turn green. */
  owed: z.array(z.string()),
  flaky: z.array(z.string()),
  removed: z.array(z.string()),
  added: z.array(z.string()),
});
export type Comparison = z.infer<typeof Comparison>;

/** Why a passing run does not prove the work by itself; a person may accept it (ADR 12). */
export const Objection = z.looseObject({
  /** Names this very objection: the same change to the same lines has the same key. */
  key: z.string(),
  /** `deleted`, `removed`, `skipped`, `focused`, `loosened`, `emptied`, `excluded`, `mocked`, `config`, `script`, `runner`, `test_detection`, `nothing_changed`, … */
  kind: z.string(),
  path: z.string(),
  line: z.int().nullable().default(null),
  /** The line itself, shortened; `-` and `+` tell what went and what came. */
  text: z.string().default(""),
  message: z.string(),
  /** The operator allowed changes of this path beforehand. */
  allowed: z.boolean().default(false),
});
export type Objection = z.infer<typeof Objection>;

/**
 * The orchestrator's own proof of a test run (DESIGN §7). `tree_after` names the content that was tested;
 * `null` where no workspace can name one. `waived` carries the operator's reason instead of a run.
 */
export const Receipt = z
  .looseObject({
    id: z.string(),
    iteration: z.int(),
    command: z.string(),
    cwd: z.string(),
    started_at: Timestamp,
    duration_ms: z.number(),
    exit_code: z.int().nullable(),
    report: z.string().nullable(),
    counts: TestCounts,
    passed: z.boolean(),
    reason: z.string(),
    tree_before: z.string().nullable(),
    tree_after: z.string().nullable(),
    test_files: z.record(z.string(), z.string()).default({}),
    waived: z.string().optional(),
    /** SHA-256 of what the tests were started with: variables, platform, versions. */
    environment: z.string().nullable().default(null),
    /** Fingerprints of the programs that ran the tests, by name. */
    runners: z.record(z.string(), z.string()).default({}),
    commands: z.array(CommandRun).default([]),
    /** These and `test_files` are kept in the newest receipt only; older ones have theirs in the journal. */
    tests: TestStates.optional(),
    /** SHA-256 over all of `tests`. */
    tests_digest: z.string().nullable().default(null),
    /** How often the tests ran for this verdict: to confirm a pass, or to tell a flaky test. */
    runs: z.int().positive().default(1),
    comparison: Comparison.optional(),
    objections: z.array(Objection).default([]),
    /** The checkpoint of the tested files. */
    checkpoint: z.string().nullable().default(null),
    /** Untracked files that change by themselves and are no part of what was tested. */
    left_out: z.array(z.string()).optional(),
    /** SHA-256 of the receipt without this field and without `tests`. */
    digest: z.string().optional(),
  })
  .meta({ id: "Receipt" });
export type Receipt = z.infer<typeof Receipt>;

/** How many receipts the state file keeps; older ones live on in the journal. */
export const RECEIPTS_KEPT = 20;
